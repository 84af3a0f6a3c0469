package gcs

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// keeper keeps objects in files, for the next start. The library could, too, but
// has names of objects lead anywhere, cannot keep both a and a/b, and does not
// list a bucket any more after it has been killed at the wrong moment.
//
// Each object is a file with the attributes in its first line and then the
// content, that replaces its predecessor as a whole: an object that was
// acknowledged is there after a crash, and one that was not is the old one or the
// new one.
type keeper struct{ dir string } // empty: nothing is kept

const (
	dirMode    = 0o700
	unfinished = ".part"
)

func (k keeper) path(bucket, name string) string {
	digest := sha256.Sum256([]byte(name)) // names are longer than those of files, and have slashes
	return filepath.Join(k.dir, bucket, hex.EncodeToString(digest[:]))
}

// put keeps an object.
func (k keeper) put(attrs fakestorage.ObjectAttrs, content []byte) error {
	if k.dir == "" {
		return nil
	}
	header, err := json.Marshal(attrs)
	if err != nil {
		return fmt.Errorf("encode the attributes of object %q: %w", attrs.Name, err)
	}
	path := k.path(attrs.BucketName, attrs.Name)
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return fmt.Errorf("keep object %q: %w", attrs.Name, err)
	}
	if err := writeSynced(path+unfinished, append(header, '\n'), content); err != nil {
		return errors.Join(fmt.Errorf("keep object %q: %w", attrs.Name, err), os.Remove(path+unfinished))
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return fmt.Errorf("keep object %q: %w", attrs.Name, err)
	}
	return syncDirectory(filepath.Dir(path))
}

// writeSynced writes a file, which is on the disk when it returns.
func writeSynced(path string, pieces ...[]byte) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, piece := range pieces {
		if _, err := file.Write(piece); err != nil {
			return err
		}
	}
	return file.Sync()
}

// syncDirectory makes what was renamed or removed there last.
func syncDirectory(path string) (err error) {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return dir.Sync()
}

// remove forgets an object.
func (k keeper) remove(bucket, name string) error {
	if k.dir == "" {
		return nil
	}
	path := k.path(bucket, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete object %q: %w", name, err)
	}
	return syncDirectory(filepath.Dir(path))
}

// clear forgets a bucket.
func (k keeper) clear(bucket string) error {
	if k.dir == "" {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(k.dir, bucket)); err != nil {
		return fmt.Errorf("delete the objects of bucket %q: %w", bucket, err)
	}
	return syncDirectory(k.dir)
}

// load passes on the objects of a bucket.
func (k keeper) load(bucket string, take func(fakestorage.StreamingObject) error) error {
	if k.dir == "" {
		return nil
	}
	dir := filepath.Join(k.dir, bucket)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the objects of bucket %q: %w", bucket, err)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if filepath.Ext(path) == unfinished { // what was being written when it ended
			err = os.Remove(path)
		} else {
			err = loadObject(path, take)
		}
		if err != nil {
			return fmt.Errorf("read an object of bucket %q: %w", bucket, err)
		}
	}
	return nil
}

func loadObject(path string, take func(fakestorage.StreamingObject) error) (err error) {
	file, err := os.Open(path) //nolint:gosec // one of the directory
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content := bufio.NewReader(file)
	header, err := content.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	var attrs fakestorage.ObjectAttrs
	if err := json.Unmarshal(header, &attrs); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return take(fakestorage.StreamingObject{ObjectAttrs: attrs, Content: seekless{content}})
}

// seekless is a content that the library reads once, from front to back.
type seekless struct{ io.Reader }

func (seekless) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }
func (seekless) Close() error                   { return nil }
