// Package tree makes directories of files and compares them, for programs that
// copy files.
package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes a file of each entry in dir, and the directories above them.
func Write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Expect sees that dir has those files and no other.
func Expect(dir string, want map[string][]byte) error {
	seen := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, ok := want[filepath.ToSlash(name)]
		if !ok {
			return fmt.Errorf("there is a file %q that was not written", name)
		}
		seen++
		return ExpectFile(path, content)
	})
	if err != nil {
		return err
	}
	if seen != len(want) {
		return fmt.Errorf("there are %d of %d files", seen, len(want))
	}
	return nil
}

// ExpectFile sees that a file has a content.
func ExpectFile(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("file %q has %d bytes that are not the %d that were written", filepath.Base(path), len(got), len(want))
	}
	return nil
}
