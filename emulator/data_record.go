package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
	"github.com/cosi-emu/cosi-emu/internal/generation"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// recordFile is the file of a data directory with its dataRecord.
func recordFile(dir string) string { return filepath.Join(dir, "emulator.json") }

// dataRecord has the options that the objects and buckets of a data directory depend on.
type dataRecord struct {
	// API is the version of the objects.
	API objectstorage.Version `json:"api"`
	// DriverNames are the names of the fake drivers, whose objects no other driver serves. They are
	// empty if there was none.
	DriverNames []string `json:"driverNames,omitempty"`
	// Dialect is the dialect of the fake drivers. In another dialect, they choose other IDs.
	Dialect dialects.Dialect `json:"dialect,omitempty"`
}

// driverNames returns the names of the fake drivers.
func (o Options) driverNames() []string {
	if len(o.DriverNames) == 0 {
		return []string{fakedriver.DefaultName}
	}
	return slices.Clone(o.DriverNames)
}

// withDriverNames returns the options with the names that were recorded. Names that are given must
// include those. Older data have no record.
func (o Options) withDriverNames(recorded []string) (Options, error) {
	if len(o.DriverNames) == 0 {
		if !slices.Equal(recorded, o.driverNames()) { // the default, which rejects unknown parameters, stays
			o.DriverNames = recorded
		}
		return o, nil
	}
	for _, name := range recorded {
		if !slices.Contains(o.DriverNames, name) {
			return o, fmt.Errorf("it has objects of driver %s; add --driver-name %s, or name no driver", name, name)
		}
	}
	return o, nil
}

// withDialect returns the options with the dialect that was recorded. Another one is rejected.
func (o Options) withDialect(recorded dialects.Dialect) (Options, error) {
	if o.Dialect != "" && o.Dialect != recorded {
		return o, fmt.Errorf("its driver speaks %s, and not %s; leave the dialect out, or choose another directory",
			recorded.Protocol(), o.Dialect.Protocol())
	}
	if recorded != generation.Of(o.API).Dialect {
		o.Dialect = recorded
	}
	return o, nil
}

// recallData returns the options, completed from the record of the data directory. Older data have none.
func (o Options) recallData() (Options, error) {
	if o.DataDir == "" {
		return o, nil
	}
	record, err := readRecord(o.DataDir)
	if err == nil && record.API != "" {
		o, err = o.withRecord(record)
	}
	if err != nil {
		return o, fmt.Errorf("%w: data directory %s: %w", ErrOptions, o.DataDir, err)
	}
	return o, nil
}

// withRecord returns the options, completed by the options of a record.
func (o Options) withRecord(record dataRecord) (Options, error) {
	if o.API != "" && o.API != record.API {
		return o, fmt.Errorf("it has objects of %s, and not of %s; leave the version out, or choose another directory", record.API, o.API)
	}
	o.API = record.API
	if !o.fake() || len(record.DriverNames) == 0 {
		return o, nil
	}
	o, err := o.withDriverNames(record.DriverNames)
	if err != nil {
		return o, err
	}
	if o, err = o.withDialect(record.Dialect); err != nil {
		return o, err
	}
	return o, o.validateDialect() // with the other options
}

// readRecord returns the record of a data directory, which is empty if there is none.
func readRecord(dir string) (record dataRecord, err error) {
	content, err := os.ReadFile(recordFile(dir))
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

// recordData writes the options into the data directory.
func (e *Emulator) recordData() error {
	dir := e.opts.DataDir
	if dir == "" {
		return nil
	}
	record, err := readRecord(dir) // has the names of the fake drivers, also if this emulator has none
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	record.API = e.opts.API
	if e.opts.fake() {
		record.DriverNames, record.Dialect = e.opts.driverNames(), e.fakeDialect()
	}
	content, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if err := atomicfile.WriteFile(recordFile(dir), content, fileMode); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}
