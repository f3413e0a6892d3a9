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

// sumsFile contains the checksums in sha256sum's format.
const sumsFile = "SHA256SUMS"

type file struct {
	path string // on disk
	name string // in the archive
	mode int64
}

// archive returns a tar of the files. Its bytes depend only on their contents, names, modes and order, and on made.
func archive(made time.Time, files []file) ([]byte, error) {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(content)), ModTime: made, Format: tar.FormatUSTAR}
		if err := to.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := to.Write(content); err != nil {
			return nil, err
		}
	}
	err := to.Close()
	return out.Bytes(), err
}

func zipped(made time.Time, files []file) ([]byte, error) {
	content, err := archive(made, files)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	if _, err := to.Write(content); err != nil {
		return nil, err
	}
	err = to.Close()
	return out.Bytes(), err
}

// sums writes the checksums of all files in the folder, ordered by name.
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
