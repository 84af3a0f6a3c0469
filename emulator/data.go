package emulator

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/generation"
)

// dataDir is the directory with data that are older than the emulator, or outlive it.
func (e *Emulator) dataDir() string { return cmp.Or(e.opts.DataDir, e.restored) }

// storeName is the subdirectory for the store's files in a data directory.
const storeName = "store"

func storeDir(dir string) string { return filepath.Join(dir, storeName) }

func planeDir(dir string) string { return filepath.Join(dir, "controlplane") }

func authorityFile(dir string) string { return filepath.Join(dir, "authority.pem") }

func (e *Emulator) bridgeDir(component string) string {
	return filepath.Join(cmp.Or(e.dataDir(), filepath.Join(e.info.Dir, "run")), component)
}

// recallData returns the options, completed from the record of the data directory. Older data have none.
func (o Options) recallData() (Options, error) {
	if o.DataDir == "" {
		return o, nil
	}
	record, err := datarecord.Read(o.DataDir)
	if err == nil && record.API != "" {
		o, err = o.withRecord(record)
	}
	if err != nil {
		return o, fmt.Errorf("%w: data directory %s: %w", ErrOptions, o.DataDir, err)
	}
	return o, nil
}

// withRecord returns the options, completed by the options of a record.
func (o Options) withRecord(record datarecord.Record) (Options, error) {
	start, err := record.WithAPI(datarecord.Record{API: o.API, DriverNames: o.DriverNames, Dialect: o.Dialect})
	if err != nil {
		return o, err
	}
	o.API = start.API
	if !o.fake() || !record.HasDriver() {
		return o, nil
	}
	if start, err = record.WithDriver(start, generation.Of(o.API).Dialect); err != nil {
		return o, err
	}
	o.DriverNames, o.Dialect = start.DriverNames, start.Dialect
	return o, o.validateDialect() // with the other options
}

// recordData writes the options into the data directory.
func (e *Emulator) recordData() error {
	dir := e.opts.DataDir
	if dir == "" {
		return nil
	}
	record, err := datarecord.Read(dir) // has the names of the fake drivers, also if this emulator has none
	if err == nil {
		record.API = e.opts.API
		if e.opts.fake() {
			record.DriverNames, record.Dialect = datarecord.DriverNames(e.opts.DriverNames), e.fakeDialect()
		}
		err = record.Write(dir)
	}
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}
