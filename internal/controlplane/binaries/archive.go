package binaries

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// unpack extracts files from a .tar.gz archive to dir by their names, from any directory of the
// archive. It fails if one is missing. It replaces envtest's store, whose layout other programs
// clean up.
func unpack(archive, dir string, names []string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read from
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	missing := slices.Clone(names)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := path.Base(header.Name)
		i := slices.Index(missing, name)
		if header.Typeflag != tar.TypeReg || i < 0 {
			continue
		}
		if err := writeProgram(filepath.Join(dir, name), files); err != nil {
			return err
		}
		missing = slices.Delete(missing, i, i+1)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the archive has no %v", missing)
	}
	return nil
}

func writeProgram(path string, from io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
