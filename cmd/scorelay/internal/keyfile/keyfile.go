// Package keyfile writes files that contain a key.
package keyfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace atomically replaces a file with one that only its owner may read. Readers see the old or the new file, also
// after a kill. It renames a new file, so a symbolic link is replaced, and its target is unchanged.
func Replace(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
