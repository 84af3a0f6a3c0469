// Package datarecord keeps, in a data directory, the options that the objects and buckets there depend
// on. It completes the options of a later start, and rejects others.
package datarecord

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Record has the options. Older data have the zero Record.
type Record struct {
	// API is the version of the objects.
	API objectstorage.Version `json:"api"`
	// DriverNames are the names of the fake drivers, whose objects no other driver serves. They are
	// empty if there was none.
	DriverNames []string `json:"driverNames,omitempty"`
	// Dialect is the dialect of the fake drivers. In another dialect, they choose other IDs.
	Dialect dialects.Dialect `json:"dialect,omitempty"`
	// Protocols are the protocols of the fake drivers. Buckets of another protocol would have no service.
	Protocols []fakedriver.Protocol `json:"protocols,omitempty"`
	// TLS means that the services of the fake drivers use TLS.
	TLS bool `json:"tls,omitempty"`
	// S3Region is the region of the store, which clients sign requests for; empty for the default.
	S3Region string `json:"s3Region,omitempty"`
	// Ports are the ports of the services, which the Secrets of accesses name.
	Ports map[string]int `json:"ports,omitempty"`
}

// file is the file of a data directory with its Record.
func file(dir string) string { return filepath.Join(dir, "emulator.json") }

// Read returns the record of a data directory.
func Read(dir string) (record Record, err error) {
	content, err := os.ReadFile(file(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return record, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &record)
	}
	if err != nil {
		return record, fmt.Errorf("read the options of its last use: %w", err)
	}
	return record, nil
}

// Write writes the record into a data directory, which it creates.
func (r Record) Write(dir string) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	return atomicfile.WriteFile(file(dir), content, fileMode)
}
