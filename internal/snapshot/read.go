package snapshot

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

const (
	// family is the prefix of the first line of every file, and Format has this version.
	family = "cosi-emu.snapshot/"
	// Format is the format of the files.
	Format = family + "v1"

	// maxHead is far more than the first two lines need.
	maxHead = 64 << 20
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

// verify reads the manifest, and compares all checksums.
func (s *Snapshot) verify(file io.Reader, size int64) error {
	in := bufio.NewReader(file)
	head := bufio.NewReader(io.LimitReader(in, maxHead))
	title, line, err := readHead(head)
	if err != nil {
		return err
	}
	format, sum, _ := strings.Cut(title, " ")
	if format != Format {
		return fmt.Errorf("%w, %s, and this program reads %s: use the version of cosi-emu that saved it", ErrFormat, format, Format)
	}
	if computed := sha256.Sum256(line); hex.EncodeToString(computed[:]) != sum {
		return fmt.Errorf("%w (the checksum of its manifest differs)", ErrDamaged)
	}
	if err := json.Unmarshal(line, &s.content); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s.offset = int64(len(title) + 1 + len(line) + 1)
	if want := s.offset + s.content.Archive.Size; size != want {
		return fmt.Errorf("%w (it has %d bytes, and should have %d)", ErrDamaged, size, want)
	}
	computed := sha256.New()
	if _, err := io.Copy(computed, io.MultiReader(head, in)); err != nil {
		return err
	}
	if hex.EncodeToString(computed.Sum(nil)) != s.content.Archive.SHA256 {
		return fmt.Errorf("%w (the checksum of its archive differs)", ErrDamaged)
	}
	return nil
}

// readHead returns the first two lines, without line breaks.
func readHead(in *bufio.Reader) (title string, manifest []byte, err error) {
	first, err := in.ReadBytes('\n')
	if err == nil {
		manifest, err = in.ReadBytes('\n')
	}
	if errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("%w (it ends early)", ErrDamaged)
	}
	return string(bytes.TrimSuffix(first, []byte("\n"))), bytes.TrimSuffix(manifest, []byte("\n")), err
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
