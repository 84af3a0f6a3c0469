package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// unpack fills the root: with the archive, an empty home, a directory for temporary files
// and an empty null device.
func (s *shell) unpack(archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	compressed, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	for _, dir := range []string{home, "tmp", "dev"} {
		if err := os.MkdirAll(filepath.Join(s.root, dir), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.root, "dev", "null"), nil, 0o600); err != nil {
		return err
	}
	for files := tar.NewReader(compressed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			s.program, _, _ = strings.Cut(header.Name, "/")
			err = write(filepath.Join(s.root, filepath.FromSlash(header.Name)), files, header.FileInfo().Mode().Perm())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
	}
}

func write(path string, content io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
