package release

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file, or a directory, of an archive.
type file struct {
	// name is the name in the archive, and path the file itself.
	name, path string
	// content replaces path.
	content []byte
	mode    int64
	// dir makes it a directory.
	dir bool
	// owner is the ID of the user and of the group.
	owner int
}

// below returns the files below a directory, readable for everyone.
func below(dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, file{name: filepath.ToSlash(name), path: path, mode: 0o644})
		return err
	})
	return files, err
}

func (o Options) writeArchive(p program, beside []file) error {
	files := append([]file{{name: "cosi-emu", path: p.path, mode: 0o755}}, beside...)
	for i := range files {
		files[i].name = p.base(o.Version) + "/" + files[i].name
	}
	return writeTo(o.path(p.archive(o.Version)), func(w io.Writer) error {
		compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(compressed, files, o.Time), compressed.Close())
	})
}

// writeTar writes files in the order of their names, with one time, so that the same files give the
// same bytes.
func writeTar(w io.Writer, files []file, modified time.Time) error {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
	archive := tar.NewWriter(w)
	for _, f := range sorted {
		if err := f.writeTo(archive, modified); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return archive.Close()
}

func (f file) writeTo(archive *tar.Writer, modified time.Time) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, ModTime: modified, Uid: f.owner, Gid: f.owner, Format: tar.FormatUSTAR,
	}
	if f.dir {
		header.Typeflag, header.Name = tar.TypeDir, f.name+"/"
		return archive.WriteHeader(header)
	}
	content := f.content
	if f.path != "" {
		var err error
		if content, err = os.ReadFile(f.path); err != nil {
			return err
		}
	}
	header.Size = int64(len(content))
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}

// writeTo creates a file, readable for everyone.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func checksum(path string) (string, error) {
	content, err := os.ReadFile(path)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), err
}

// writeChecksums writes the checksums of all files, as sha256sum --check reads them.
func (o Options) writeChecksums() error {
	entries, err := os.ReadDir(o.Out) // in the order of their names
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, entry := range entries {
		sum, err := checksum(o.path(entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, entry.Name())
	}
	return writeTo(o.path("checksums.txt"), func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}
