package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded"
	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
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
	for _, err := range []error{o.fits(info), o.fitsKubernetes(info), o.checkEmpty()} {
		if err != nil {
			return o, origin{}, fmt.Errorf("%w: snapshot %s: %w", ErrOptions, o.Snapshot, err)
		}
	}
	if o.DriverNames, err = datarecord.WithDriverNames(o.DriverNames, info.DriverNames); err != nil {
		return o, origin{}, fmt.Errorf("%w: snapshot %s: %w", ErrOptions, o.Snapshot, err)
	}
	o.API, o.ControlPlaneKind, o.Dialect, o.TLS = info.API, info.ControlPlane, info.Dialect, info.TLS
	if o.Protocols == nil {
		o.Protocols = info.Protocols
	}
	return o, origin{file: opened, info: info}, nil
}

// fits compares the options with a snapshot.
func (o Options) fits(info SnapshotInfo) error {
	if o.API != "" && o.API != info.API {
		return fmt.Errorf("it has the kinds of %s, and not of %s; leave the version out, or migrate the objects after the start", info.API, o.API)
	}
	if err := o.fitsControlPlane(info); err != nil {
		return err
	}
	switch {
	case o.Dialect != "" && o.Dialect != info.Dialect:
		return fmt.Errorf("its driver does not speak %s; leave the dialect out", o.Dialect.Protocol())
	case o.TLS && !info.TLS:
		return errors.New("its Secrets name an endpoint without TLS; start without TLS")
	}
	return o.fitsProtocols(info)
}

func (o Options) fitsControlPlane(info SnapshotInfo) error {
	switch {
	case o.ControlPlaneKind != "" && o.ControlPlaneKind != ControlPlaneAuto && o.ControlPlaneKind != info.ControlPlane:
		return fmt.Errorf("it was saved with control plane %s, whose objects %s cannot read; choose control plane %s",
			info.ControlPlane, o.ControlPlaneKind, info.ControlPlane)
	case o.ControlPlaneDir != "" && info.ControlPlane != ControlPlaneEnvtest:
		return fmt.Errorf("it was saved with control plane %s, which uses no programs; name no directory with them", info.ControlPlane)
	}
	return nil
}

// fitsProtocols rejects protocols if one of the snapshot's driver is missing.
func (o Options) fitsProtocols(info SnapshotInfo) error {
	for _, protocol := range info.Protocols {
		if o.Protocols != nil && !slices.Contains(o.Protocols, protocol) {
			return fmt.Errorf("its driver has protocol %s; add that to the protocols, or leave them out", protocol)
		}
	}
	return nil
}

// fitsKubernetes rejects a snapshot of a later Kubernetes, whose objects an earlier one may not
// understand.
func (o Options) fitsKubernetes(info SnapshotInfo) error {
	running := binaries.KubernetesVersion
	switch {
	case info.ControlPlane == ControlPlaneEmbedded:
		running = embedded.KubernetesVersion()
	case o.ControlPlaneDir != "":
		return nil // unknown release
	}
	theirs, err := version.ParseGeneric(info.Kubernetes)
	if err != nil {
		return fmt.Errorf("its release of Kubernetes: %w", err)
	}
	ours, err := version.ParseGeneric(running)
	if err != nil {
		return err
	}
	if theirs.Major() != ours.Major() || theirs.Minor() > ours.Minor() {
		return fmt.Errorf("it was saved with Kubernetes %s, and this program runs %s; use the version of cosi-emu that saved it, or a later one",
			info.Kubernetes, running)
	}
	return nil
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
