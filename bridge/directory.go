package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// Directory is a KeyStore in the files of a directory, which only its owner can read. A
// directory serves one process at a time.
type Directory struct {
	path string
	lock *flock.Flock
}

var _ KeyStore = &Directory{}

// entrySuffix ends the names of the files with entries.
const entrySuffix = ".json"

// entry is the content of a file. The key is for people and for a check: the name of
// the file is its hash, since keys may be longer than names can be.
type entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// OpenDirectory opens a directory, and creates it if it is missing. It fails if another
// process has it open. Close it after use.
func OpenDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	lock := flock.New(filepath.Join(path, "lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("state directory %s is in use by another bridge: stop it, or choose another directory", path)
	}
	return &Directory{path: path, lock: lock}, nil
}

// Close lets another process open the directory.
func (d *Directory) Close() error { return d.lock.Close() }

func (d *Directory) file(key string) string {
	hash := sha256.Sum256([]byte(key))
	return filepath.Join(d.path, hex.EncodeToString(hash[:])+entrySuffix)
}

// Load implements Store.
func (d *Directory) Load(_ context.Context, key string) (value string, found bool, err error) {
	path := d.file(key)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var e entry
	if err := json.Unmarshal(content, &e); err != nil || e.Key != key {
		return "", false, fmt.Errorf("file %s is not that of %s: it was changed by another program; restore it from a backup", path, key)
	}
	return e.Value, true, nil
}

// Keys implements KeyStore.
func (d *Directory) Keys(context.Context) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(d.path, "*"+entrySuffix))
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, path := range files {
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			continue
		}
		var e entry
		if err == nil {
			err = json.Unmarshal(content, &e)
		}
		if err != nil {
			return nil, fmt.Errorf("file %s has no ID: %w; restore it from a backup", path, err)
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// Save implements Store.
func (d *Directory) Save(_ context.Context, key, value string) error {
	content, err := json.Marshal(entry{Key: key, Value: value})
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(d.file(key), content, 0o600)
}

// Delete implements Store.
func (d *Directory) Delete(_ context.Context, key string) error {
	err := os.Remove(d.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return atomicfile.SyncDir(d.path)
}
