// Package atomicfile writes files that are never half written: a crash of the process or of the machine
// leaves the file that was there, or the new one.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace gives a file the contents that write writes, and the mode. When it returns nil, the contents are
// on the disk. After an error, the file is as it was.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return put(path, mode, write, os.Rename)
}

// Create is Replace for a file that does not exist: if another program has made it meanwhile, the error is
// fs.ErrExist.
func Create(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return put(path, mode, write, func(from, to string) error {
		if err := os.Link(from, to); err != nil {
			return err
		}
		return os.Remove(from)
	})
}

// WriteFile is Replace for contents in memory.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func put(path string, mode fs.FileMode, write func(io.Writer) error, move func(from, to string) error) (err error) {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // only its owner can read it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(write(file), file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := move(file.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes names in a directory durable, where the operating system can do that.
func SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
