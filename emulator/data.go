package emulator

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/generation"
	"github.com/cosi-emu/cosi-emu/internal/service"
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

// recallData returns the options, completed from the record of the data directory, and the record. Older data have
// none.
func (o Options) recallData() (Options, datarecord.Record, error) {
	if o.DataDir == "" {
		return o, datarecord.Record{}, nil
	}
	record, err := datarecord.Read(o.DataDir)
	if o.fake() {
		o.S3Region = cmp.Or(o.S3Region, record.S3Region)
	}
	if err == nil && record.API != "" {
		o, err = o.withRecord(record)
	}
	if err != nil {
		return o, record, fmt.Errorf("%w: data directory %s: %w", ErrOptions, o.DataDir, err)
	}
	return o, record, nil
}

// withRecord returns the options, completed by the options of a record.
func (o Options) withRecord(record datarecord.Record) (Options, error) {
	start, err := record.WithAPI(datarecord.Record{
		API: o.API, DriverNames: o.DriverNames, Dialect: o.Dialect, Protocols: o.Protocols, TLS: o.TLS,
	})
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
	o.DriverNames, o.Dialect, o.Protocols, o.TLS = start.DriverNames, start.Dialect, start.Protocols, start.TLS
	return o, o.validateDialect() // with the other options
}

// recordData writes the options into the data directory, with the ports of the services that have started.
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
			record.Protocols, record.TLS, record.S3Region = e.opts.Protocols, e.opts.TLS, e.opts.S3Region
			err = e.recordPorts(&record)
		}
	}
	if err == nil {
		err = record.Write(dir)
	}
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}

// recordPorts adds the ports of the services that have started.
func (e *Emulator) recordPorts(record *datarecord.Record) error {
	for _, s := range service.All() {
		port, err := portOf(*s.Endpoint(&e.info))
		if err != nil {
			return err
		}
		if port == 0 {
			continue
		}
		if record.Ports == nil {
			record.Ports = map[string]int{}
		}
		record.Ports[s.Protocol().String()] = port
	}
	return nil
}

// savedPort returns the port of a service in the snapshot, or else the last one of the data directory; 0 means none.
func (e *Emulator) savedPort(s service.Service) int {
	return cmp.Or(*s.SavedPort(&e.origin.info), e.recalled.Ports[s.Protocol().String()])
}
