package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// driverNamesFile is the file of a data directory with the names of the fake drivers, whose objects
// no other driver serves.
func driverNamesFile(dir string) string { return filepath.Join(dir, "driver-names.json") }

func (o Options) driverNames() []string {
	if len(o.DriverNames) == 0 {
		return []string{fakedriver.DefaultName}
	}
	return slices.Clone(o.DriverNames)
}

// withDriverNames returns the options with the recorded names. Options with names must include all
// recorded names. Older data directories have no record.
func (o Options) withDriverNames(recorded []string) (Options, error) {
	if len(o.DriverNames) == 0 {
		if !slices.Equal(recorded, o.driverNames()) { // keep the default, which rejects unknown parameters
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

// recallDriverNames returns the options with the names that the data directory records.
func (o Options) recallDriverNames() (Options, error) {
	if o.DataDir == "" || !o.fake() {
		return o, nil
	}
	content, err := os.ReadFile(driverNamesFile(o.DataDir))
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	var names []string
	if err == nil {
		err = json.Unmarshal(content, &names)
	}
	if err != nil {
		return o, fmt.Errorf("read the names of the drivers of data directory %s: %w", o.DataDir, err)
	}
	if o, err = o.withDriverNames(names); err != nil {
		return o, fmt.Errorf("%w: data directory %s: %w", ErrOptions, o.DataDir, err)
	}
	return o, nil
}

// recordDriverNames writes the names into the data directory.
func (e *Emulator) recordDriverNames() error {
	dir := e.opts.DataDir
	if dir == "" || !e.opts.fake() {
		return nil
	}
	content, err := json.Marshal(e.opts.driverNames())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	next := driverNamesFile(dir) + ".new" // a crash leaves the old file or the new one
	if err := os.WriteFile(next, content, fileMode); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return os.Rename(next, driverNamesFile(dir))
}
