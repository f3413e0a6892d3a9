package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// sumsFile holds the checksums, in the form of sha256sum.
const sumsFile = "SHA256SUMS"

// file is one that goes into an archive.
type file struct {
	path string // where it is
	name string // in the archive
	mode int64
}

// pack writes an archive whose bytes follow from the files, their names and the time alone.
func pack(archive string, made time.Time, files []file) error {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(content)), ModTime: made, Format: tar.FormatUSTAR}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		if _, err := packed.Write(content); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}

// sums writes the checksums of all files of the folder, in the order of their names.
func sums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(content), entry.Name())
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), out.Bytes(), 0o644)
}
