package gcs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// objectFiles stores objects for the next start.
//
// Each object is one file: the attributes in the first line, then the content. A new
// file replaces the old one atomically. So an acknowledged object survives a crash,
// and an unacknowledged write leaves the old or the new object.
type objectFiles struct{ dir string } // empty: nothing is stored

const (
	dirMode    = 0o700
	unfinished = ".part"
)

func (k objectFiles) path(bucket, name string) string {
	digest := sha256.Sum256([]byte(name)) // a file name has a maximum length and no slashes
	return filepath.Join(k.dir, bucket, hex.EncodeToString(digest[:]))
}

// put stores an object.
func (k objectFiles) put(o *object) error {
	if k.dir == "" {
		return nil
	}
	header, err := json.Marshal(o.attributes)
	if err != nil {
		return fmt.Errorf("encode the attributes of object %q: %w", o.Name, err)
	}
	path := k.path(o.Bucket, o.Name)
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return fmt.Errorf("keep object %q: %w", o.Name, err)
	}
	if err := writeSynced(path+unfinished, append(header, '\n'), o.content); err != nil {
		return errors.Join(fmt.Errorf("keep object %q: %w", o.Name, err), os.Remove(path+unfinished))
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return fmt.Errorf("keep object %q: %w", o.Name, err)
	}
	return syncDirectory(filepath.Dir(path))
}

// writeSynced writes a file and flushes it to the disk.
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

// syncDirectory flushes renames and removals in a directory.
func syncDirectory(path string) (err error) {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return dir.Sync()
}

// remove deletes the file of an object.
func (k objectFiles) remove(bucket, name string) error {
	if k.dir == "" {
		return nil
	}
	path := k.path(bucket, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete object %q: %w", name, err)
	}
	return syncDirectory(filepath.Dir(path))
}

// clear deletes the files of a bucket.
func (k objectFiles) clear(bucket string) error {
	if k.dir == "" {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(k.dir, bucket)); err != nil {
		return fmt.Errorf("delete the objects of bucket %q: %w", bucket, err)
	}
	return syncDirectory(k.dir)
}

// load calls take with the objects of a bucket.
func (k objectFiles) load(bucket string, take func(*object)) error {
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
		if filepath.Ext(path) == unfinished { // a write that a crash interrupted
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

func loadObject(path string, take func(*object)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header, content, _ := bytes.Cut(data, []byte("\n"))
	o := &object{content: content}
	if err := json.Unmarshal(header, &o.attributes); err != nil || o.Size != int64(len(content)) {
		return fmt.Errorf("%s is damaged: %w; remove it to do without the object", path, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	take(o)
	return nil
}
