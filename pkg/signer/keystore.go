package signer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Keystore is a file of a key or of a remote signer, or a directory of them, that is read again when files are added. It is not
// safe for concurrent use.
type Keystore struct {
	path, passwordFile string
	opened             map[string]stamp // files that were read, by path
}

// stamp tells a file from what it was before.
type stamp struct {
	size    int64
	changed time.Time
}

// NewKeystore is that of FromKeystore; nothing is read yet.
func NewKeystore(path, passwordFile string) *Keystore {
	return &Keystore{path: path, passwordFile: passwordFile, opened: map[string]stamp{}}
}

// Read reads the files that it did not read before, or that changed since, in the order of their names. The errors are
// FromKeystore's, all of them; the keys of the other files are returned all the same.
func (k *Keystore) Read() (keys []*Key, err error) {
	password, err := k.password()
	if err != nil {
		return nil, err
	}
	files, err := keyFiles(k.path)
	if err != nil {
		return nil, unreadable("the keystore", k.path, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the keystore directory %s holds no key file", k.path)
	}
	for _, file := range files {
		info, failed := os.Stat(file)
		if failed != nil {
			err = errors.Join(err, unreadable("the keystore file", file, failed))
			continue
		}
		now := stamp{info.Size(), info.ModTime()}
		if k.opened[file] == now {
			continue
		}
		key, failed := read(file, password, k.passwordFile)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		k.opened[file] = now
		keys = append(keys, key)
	}
	return keys, err
}

// password is what the password file holds; nil without one.
func (k *Keystore) password() (*string, error) {
	if k.passwordFile == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(k.passwordFile)
	if err != nil {
		return nil, passwordFileError{unreadable("the keystore's password file", k.passwordFile, err)}
	}
	password := strings.TrimRight(string(raw), "\r\n")
	return &password, nil
}
