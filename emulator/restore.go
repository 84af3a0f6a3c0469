package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/internal/snapshot/compatibility"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func (o Options) validateSnapshot() error {
	switch {
	case o.Snapshot == "":
		return nil
	case o.Cluster != nil || o.ControlPlane != nil:
		return fmt.Errorf("%w: a snapshot and an existing control plane exclude each other: the snapshot has the objects", ErrOptions)
	case !o.fake():
		return fmt.Errorf("%w: a snapshot has buckets of the emulator's own store: it requires the fake driver", ErrOptions)
	}
	return nil
}

// origin is the snapshot from which an emulator starts. The zero value is none.
type origin struct {
	file *snapshot.Snapshot
	info SnapshotInfo
}

// openSnapshot verifies the snapshot, and returns the options with the defaults from it.
func (o Options) openSnapshot() (Options, origin, error) {
	if o.Snapshot == "" {
		return o, origin{}, nil
	}
	path, err := filepath.Abs(o.Snapshot)
	if err != nil {
		return o, origin{}, err
	}
	o.Snapshot = path
	opened, err := snapshot.Open(o.Snapshot)
	if err != nil {
		return o, origin{}, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	var info SnapshotInfo
	if err := opened.Describe(&info); err != nil {
		return o, origin{}, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if info.Bridge {
		info.Dialect = dialects.V1alpha1
	}
	for _, err := range []error{o.wanted().Check(info), o.checkEmpty()} {
		if err != nil {
			return o, origin{}, fmt.Errorf("%w: snapshot %s: %w", ErrOptions, o.Snapshot, err)
		}
	}
	if o.DriverNames, err = datarecord.WithDriverNames(o.DriverNames, info.DriverNames); err != nil {
		return o, origin{}, fmt.Errorf("%w: snapshot %s: %w", ErrOptions, o.Snapshot, err)
	}
	o.API, o.ControlPlaneKind, o.Dialect, o.TLS = info.API, info.ControlPlane, info.Dialect, info.TLS
	o.S3Region = cmp.Or(o.S3Region, info.S3Region)
	if o.Protocols == nil {
		o.Protocols = info.Protocols
	}
	return o, origin{file: opened, info: info}, nil
}

// wanted returns the options that must agree with a snapshot.
func (o Options) wanted() compatibility.Wanted {
	return compatibility.Wanted{
		API: o.API, ControlPlane: o.ControlPlaneKind, ControlPlaneDir: o.ControlPlaneDir, Dialect: o.Dialect, TLS: o.TLS, Protocols: o.Protocols,
	}
}

// lockFile is the file in a data directory with the lock of instance.LockDataDir.
const lockFile = "lock"

func (o Options) checkEmpty() error {
	if o.DataDir == "" {
		return nil
	}
	entries, err := os.ReadDir(o.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != lockFile {
			return fmt.Errorf("data directory %s is not empty; start without the snapshot to go on with its data, or choose another directory",
				o.DataDir)
		}
	}
	return nil
}

// restoreSnapshot unpacks the snapshot into the data directory, or without one below the emulator's
// directory, where Stop removes it.
func (e *Emulator) restoreSnapshot() error {
	if e.origin.file == nil {
		return nil
	}
	parent := cmp.Or(e.opts.DataDir, e.info.Dir)
	if err := os.MkdirAll(parent, dirMode); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, "restored-")
	if err != nil {
		return fmt.Errorf("unpack the snapshot: %w", err)
	}
	if err := e.origin.file.Unpack(dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if e.opts.DataDir != "" {
		return moveContents(dir, e.opts.DataDir)
	}
	e.restored = dir
	e.onStop(func(context.Context) error { return os.RemoveAll(dir) })
	return nil
}

// moveContents moves the contents of a directory into another one, and removes the directory.
func moveContents(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}
