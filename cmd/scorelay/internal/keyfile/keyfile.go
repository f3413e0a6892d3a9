// Package keyfile writes files that hold a key.
package keyfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file that only its owner may read, in place of the one that is there. A reader, and a kill, never see
// half of it. The new file gets a name that is free and then takes the place of the old, so nothing that was there before is
// written to: a symbolic link is replaced, and what it leads to stays as it is.
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
