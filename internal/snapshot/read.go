package snapshot

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Kinds of errors.
var (
	// ErrForeign means that the file is not a snapshot.
	ErrForeign = errors.New("is not a snapshot of cosi-emu; 'cosi-emu snapshot save' makes one")
	// ErrFormat means that another version of the program wrote the file.
	ErrFormat = errors.New("has another format")
	// ErrMode means that other users can read the file.
	ErrMode = errors.New("can be read or written by other users, and contains secrets")
	// ErrDamaged means that the file was changed.
	ErrDamaged = errors.New("is damaged; copy it again, or save another snapshot")
)

// Snapshot is a file that was verified.
type Snapshot struct {
	path    string
	content manifest
	offset  int64 // of the archive
}

// Open verifies a file. Errors are ErrForeign, ErrFormat, ErrMode and ErrDamaged.
func Open(name string) (*Snapshot, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read from
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || !isSnapshot(file):
		return nil, fmt.Errorf("%s %w", name, ErrForeign)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s %w: its mode is %04o; run 'chmod 600 %s'", name, ErrMode, info.Mode().Perm(), name)
	}
	s := &Snapshot{path: name}
	if err := s.verify(file, info.Size()); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return s, nil
}

// isSnapshot reports whether a file begins like all snapshots.
func isSnapshot(file io.ReaderAt) bool {
	first := make([]byte, len(family))
	_, err := file.ReadAt(first, 0)
	return err == nil && string(first) == family
}

// Describe decodes the description.
func (s *Snapshot) Describe(into any) error {
	if err := json.Unmarshal(s.content.Description, into); err != nil {
		return fmt.Errorf("%s %w: its description: %w", s.path, ErrDamaged, err)
	}
	return nil
}

// Unpack writes the files into an existing directory. Existing files are an error.
func (s *Snapshot) Unpack(dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read from
	compressed, err := gzip.NewReader(io.NewSectionReader(file, s.offset, s.content.Archive.Size))
	if err != nil {
		return fmt.Errorf("%s %w: %w", s.path, ErrDamaged, err)
	}
	if err := unpack(root, tar.NewReader(io.LimitReader(compressed, maxUnpacked(s.content.Archive)))); err != nil {
		return fmt.Errorf("unpack snapshot %s: %w", s.path, err)
	}
	return nil
}

// maxUnpacked is the maximum size of the files and headers of an archive.
func maxUnpacked(a archive) int64 {
	const headers = 1 << 30
	return 2*a.Unpacked + headers
}

func unpack(root *os.Root, in *tar.Reader) error {
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackEntry(root, header, in); err != nil {
			return err
		}
	}
}

func unpackEntry(root *os.Root, header *tar.Header, in io.Reader) (err error) {
	name := path.Clean(header.Name)
	switch header.Typeflag {
	case tar.TypeDir:
		return root.Mkdir(name, dirMode)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%s is neither a file nor a directory", name)
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in) // the size is limited above
	return errors.Join(err, file.Close())
}
