package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

const manifestName = "manifest.json"

var (
	errNoManifest = errors.New("nothing is cached")
	errAltered    = errors.New("the file was altered after it was put into the cache")
)

// manifest describes a cache entry.
type manifest struct {
	Version  string                `json:"version"`
	Platform string                `json:"platform"`
	Source   string                `json:"source"`
	Missing  string                `json:"missing,omitempty"`
	Files    map[string]fileRecord `json:"files"`
}

// fileRecord describes a cached file. Each use compares Size and ModTime. The checksum
// is computed only if ModTime differs, because to read 225 MB takes longer than the
// start of etcd.
type fileRecord struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"modTime"` // nanoseconds since 1970
	SHA256  string `json:"sha256"`
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errNoManifest
	}
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestName), err)
	}
	return m, nil
}

// verify compares the files in dir with their records.
func (m *manifest) verify(dir string, platform versions.Platform) error {
	for _, name := range required {
		if _, ok := m.Files[name]; !ok {
			return &ProgramError{Path: filepath.Join(dir, name), Err: ErrNotFound}
		}
	}
	for name, record := range m.Files {
		path := filepath.Join(dir, name)
		if err := checkProgram(path, platform); err != nil {
			return err
		}
		if err := record.verify(path); err != nil {
			return err
		}
	}
	return nil
}

func (r fileRecord) verify(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() != r.Size {
		return &ProgramError{Path: path, Err: ErrIncomplete, Detail: fmt.Sprintf("%d of %d bytes", info.Size(), r.Size)}
	}
	if info.ModTime().UnixNano() == r.ModTime {
		return nil
	}
	now, err := recordOf(path)
	if err != nil {
		return err
	}
	if now.SHA256 != r.SHA256 {
		return &ProgramError{Path: path, Err: errAltered}
	}
	return nil
}

// seal checks and records the files in dir, and makes everything durable.
func (m *manifest) seal(dir string, platform versions.Platform) error {
	m.Platform = platform.String()
	m.Files = map[string]fileRecord{}
	for _, name := range []string{Etcd, APIServer, ControllerManager} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); os.IsNotExist(err) && name == ControllerManager {
			continue
		}
		if err := checkProgram(path, platform); err != nil {
			return err
		}
		record, err := recordOf(path)
		if err != nil {
			return err
		}
		m.Files[name] = record
	}
	return m.write(dir)
}

func (m *manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, manifestName)
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	for name := range m.Files {
		if err := syncPath(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return errors.Join(syncPath(path), syncPath(dir))
}

func recordOf(path string) (fileRecord, error) {
	file, err := os.Open(path)
	if err != nil {
		return fileRecord{}, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	if err != nil {
		return fileRecord{}, err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return fileRecord{}, fmt.Errorf("read %s: %w", path, err)
	}
	return fileRecord{Size: size, ModTime: info.ModTime().UnixNano(), SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}
