package volume

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// State is how far a volume is.
type State string

const (
	// Publishing means that the volume may have a mark, a directory and files, or not.
	Publishing State = "Publishing"
	// Published means that the volume has all its files.
	Published State = "Published"
	// Unpublished means that the volume has no directory any more. Its mark may exist.
	Unpublished State = "Unpublished"
)

// Record is what the node adapter knows of a volume. It contains no secret.
type Record struct {
	VolumeID string    `json:"volumeID"`
	Target   string    `json:"target"`
	State    State     `json:"state"`
	Access   string    `json:"access"`
	UID      types.UID `json:"uid"` // of the access

	Namespace string    `json:"namespace"`
	Pod       string    `json:"pod"`
	PodUID    types.UID `json:"podUID"`
}

// keyLength is the length of a Key, which fits into the key of an annotation.
const keyLength = 40

// Key returns a short name of a volume, for files and annotations.
func Key(volumeID string) string {
	sum := sha256.Sum256([]byte(volumeID))
	return hex.EncodeToString(sum[:])[:keyLength]
}

// Records are the records of a node, a file for each volume.
type Records interface {
	// Load returns the record of a volume by its Key, or nil.
	Load(key string) (*Record, error)
	// Save is durable when it returns.
	Save(record *Record) error
	// Delete deletes a record. A record that does not exist is no error.
	Delete(key string) error
	// List returns all records.
	List() ([]*Record, error)
}

// OpenRecords returns the records in a directory, which it creates. It removes temporary files of a process that was
// killed, so only one process may use the directory.
func OpenRecords(dir string) (Records, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the state directory: %w", err)
	}
	unfinished, err := filepath.Glob(filepath.Join(dir, ".*"+suffix+".*"))
	if err != nil {
		return nil, err
	}
	for _, file := range unfinished {
		if err := os.Remove(file); err != nil {
			return nil, fmt.Errorf("clean the state directory: %w", err)
		}
	}
	return records{dir: dir}, nil
}

type records struct{ dir string }

const suffix = ".json"

func (r records) file(key string) string { return filepath.Join(r.dir, key+suffix) }

func (r records) Load(key string) (*Record, error) {
	text, err := os.ReadFile(r.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	record := &Record{}
	if err == nil {
		err = json.Unmarshal(text, record)
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of a volume, %s: %w", r.file(key), err)
	}
	return record, nil
}

func (r records) Save(record *Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(r.file(Key(record.VolumeID)), append(text, '\n'), 0o600)
}

func (r records) Delete(key string) error {
	if err := os.Remove(r.file(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.SyncDir(r.dir)
}

func (r records) List() ([]*Record, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, entry := range entries {
		key, ok := strings.CutSuffix(entry.Name(), suffix)
		if !ok || strings.HasPrefix(key, ".") {
			continue
		}
		record, err := r.Load(key)
		if err != nil {
			return nil, err
		}
		if record != nil {
			all = append(all, record)
		}
	}
	return all, nil
}
