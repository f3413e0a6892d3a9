package signer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Keystore reads key files, again after files are added. One caller at a time.
type Keystore struct {
	path, passwordFile string
	opened             map[string]stamp // by path
}

type stamp struct {
	size    int64
	changed time.Time
}

// NewKeystore takes FromKeystore's arguments.
func NewKeystore(path, passwordFile string) *Keystore {
	return &Keystore{path: path, passwordFile: passwordFile, opened: map[string]stamp{}}
}

// Read returns the keys of files that are new or changed since they were last read, in file name order. The joined
// errors of failed files (see FromKeystore) come with the other files' keys.
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
