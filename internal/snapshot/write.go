package snapshot

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

const (
	fileMode = 0o600
	dirMode  = 0o700
)

// ErrExists means that the file already exists.
var ErrExists = errors.New("the file already exists")

// ErrUnsupported means that a snapshot cannot contain all data of the emulator.
var ErrUnsupported = errors.New("a snapshot requires the control plane and the store of the emulator")

// CheckTarget returns an error if a snapshot cannot be written to a file: ErrExists, unless
// the file may be replaced, or the directory is missing.
func CheckTarget(path string, replace bool) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("save a snapshot to %s: the directory %s does not exist; create it, or choose another file", path, filepath.Dir(path))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("save a snapshot to %s: it is not a regular file; choose another file", path)
	case !replace:
		return fmt.Errorf("save a snapshot to %s: %w; choose another file, or replace it with --force", path, ErrExists)
	}
	return nil
}

// Write writes a snapshot of the files in a directory, with a description in JSON. Only the owner
// can read the file, which has its name when it is complete.
func Write(path string, description any, dir string, replace bool) (err error) {
	if err := CheckTarget(path, replace); err != nil {
		return err
	}
	packed, err := os.CreateTemp(filepath.Dir(path), ".cosi-emu-archive-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("save a snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, packed.Close(), os.Remove(packed.Name())) }()
	var m manifest
	if m.Description, err = json.Marshal(description); err != nil {
		return fmt.Errorf("describe a snapshot: %w", err)
	}
	if m.Archive, err = pack(packed, dir); err != nil {
		return fmt.Errorf("pack a snapshot: %w", err)
	}
	head, err := m.encode()
	if err != nil {
		return err
	}
	return assemble(path, head, packed, replace)
}

// encode returns the first two lines of the file.
func (m manifest) encode() ([]byte, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode the manifest of a snapshot: %w", err)
	}
	sum := sha256.Sum256(line)
	return fmt.Appendf(nil, "%s %x\n%s\n", Format, sum, line), nil
}

// assemble writes the file.
func assemble(path string, head []byte, packed *os.File, replace bool) error {
	put := atomicfile.Create
	if replace {
		put = atomicfile.Replace
	}
	return put(path, fileMode, func(w io.Writer) error {
		if _, err := packed.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(w, io.MultiReader(bytes.NewReader(head), packed))
		return err
	})
}

// pack writes the archive of a directory.
func pack(to io.Writer, dir string) (archive, error) {
	sum, counted := sha256.New(), &counter{}
	compressed, err := gzip.NewWriterLevel(io.MultiWriter(to, sum, counted), gzip.BestSpeed)
	if err != nil {
		return archive{}, err
	}
	out := tar.NewWriter(compressed)
	var unpacked int64
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		size, err := packEntry(out, dir, path, entry)
		unpacked += size
		return err
	})
	if err := errors.Join(err, out.Close(), compressed.Close()); err != nil {
		return archive{}, err
	}
	return archive{Size: counted.n, SHA256: hex.EncodeToString(sum.Sum(nil)), Unpacked: unpacked}, nil
}

func packEntry(out *tar.Writer, dir, path string, entry fs.DirEntry) (size int64, err error) {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return 0, err
	}
	name = filepath.ToSlash(name)
	if entry.IsDir() {
		return 0, out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: dirMode})
	}
	if !entry.Type().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close() //nolint:errcheck // only read from
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode, Size: info.Size()}); err != nil {
		return 0, err
	}
	return io.Copy(out, file)
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
