package emulator

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// ErrSnapshotUnsupported means that a snapshot cannot contain all data of the emulator.
var ErrSnapshotUnsupported = snapshot.ErrUnsupported

// ErrSnapshotExists means that the file of a snapshot already exists.
var ErrSnapshotExists = snapshot.ErrExists

// Errors of files that are not usable snapshots.
var (
	// ErrSnapshotForeign means that the file is not a snapshot.
	ErrSnapshotForeign = snapshot.ErrForeign
	// ErrSnapshotFormat means that another version of the program wrote the file.
	ErrSnapshotFormat = snapshot.ErrFormat
	// ErrSnapshotMode means that other users can read the file, which contains secrets.
	ErrSnapshotMode = snapshot.ErrMode
	// ErrSnapshotDamaged means that a checksum or the size differs.
	ErrSnapshotDamaged = snapshot.ErrDamaged
)

// SnapshotInfo describes a snapshot. It contains no secrets; the file does.
type SnapshotInfo = description.SnapshotInfo

// InspectSnapshot verifies a file that SaveSnapshot has written, and describes it.
func InspectSnapshot(file string) (SnapshotInfo, error) {
	opened, err := snapshot.Open(file)
	if err != nil {
		return SnapshotInfo{}, err
	}
	var info SnapshotInfo
	err = opened.Describe(&info)
	return info, err
}

// SaveSnapshot writes the objects, the store and the accounts, as they are at one moment, to a file
// for Options.Snapshot. The file contains secrets: only its owner can read it. An existing file is
// an error, unless replace is set. Changes of the store wait for the moment of the copy. The error
// is ErrSnapshotUnsupported with an existing cluster, and without the fake driver.
func (e *Emulator) SaveSnapshot(ctx context.Context, file string, replace bool) (info SnapshotInfo, err error) {
	if e.opts.StoreOnly {
		return SnapshotInfo{}, fmt.Errorf("save a snapshot: %w: this emulator has no API server; copy its data directory while it is stopped",
			ErrSnapshotUnsupported)
	}
	plane, ok := e.plane.(dataSaver)
	if !ok || e.store == nil {
		return SnapshotInfo{}, fmt.Errorf("save a snapshot: %w: the contents of another cluster or backend are not in it", ErrSnapshotUnsupported)
	}
	if err := snapshot.CheckTarget(file, replace); err != nil {
		return SnapshotInfo{}, err
	}
	e.saving.Lock()
	defer e.saving.Unlock()
	dir, err := os.MkdirTemp(e.info.Dir, "snapshot-")
	if err != nil {
		return SnapshotInfo{}, fmt.Errorf("save a snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if info, err = e.describeSnapshot(ctx); err != nil {
		return SnapshotInfo{}, fmt.Errorf("save a snapshot: %w", err)
	}
	if err := e.copyData(ctx, plane, dir, &info); err != nil {
		return SnapshotInfo{}, fmt.Errorf("save a snapshot: %w", err)
	}
	return info, snapshot.Write(file, info, dir, replace)
}

// dataSaver is a control plane whose objects can be copied.
type dataSaver interface {
	// SaveData writes the objects as they are at one moment into an existing directory.
	SaveData(ctx context.Context, dir string) error
}

// copyData fills a directory with the contents of a data directory.
//
// The store is held while the objects are copied as of one moment. Together, they are in the state
// in which everything would be if all components stopped at that moment.
func (e *Emulator) copyData(ctx context.Context, plane dataSaver, dir string, info *SnapshotInfo) error {
	for _, part := range []string{planeDir(dir), storeDir(dir)} {
		if err := os.Mkdir(part, dirMode); err != nil {
			return err
		}
	}
	held, thaw, err := e.store.Freeze(ctx)
	if err != nil {
		return err
	}
	err = plane.SaveData(ctx, planeDir(dir))
	if e.opts.BridgesFake() {
		// The bridge may know more than the objects, as after a lost reply.
		err = errors.Join(err, copyFiles(e.bridgeDir(ComponentBridge), filepath.Join(dir, ComponentBridge), "*.json"))
	}
	thaw()
	defer held.Release()
	if e.authority != nil {
		err = errors.Join(err, e.authority.Save(authorityFile(dir)))
	}
	if err != nil {
		return err
	}
	describeStorage(held, info)
	return held.Write(storeDir(dir))
}

func describeStorage(held *store.Image, info *SnapshotInfo) {
	info.Buckets = []string{}
	for _, b := range held.Buckets() {
		info.Buckets = append(info.Buckets, b.Name)
	}
	info.Accounts = held.Accounts()
	info.StoredObjects, info.StoredBytes = held.Size()
}

// copyFiles copies the files of a directory that match a pattern into a new directory.
func copyFiles(from, to, pattern string) (err error) {
	if err := os.Mkdir(to, dirMode); err != nil {
		return err
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	names, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was deleted meanwhile
		}
		if err == nil {
			err = target.WriteFile(filepath.Base(name), content, fileMode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describeSnapshot describes everything except the store.
func (e *Emulator) describeSnapshot(ctx context.Context) (SnapshotInfo, error) {
	info := SnapshotInfo{
		Created: time.Now().UTC(), ControlPlane: e.startedKind(), API: e.opts.API, Protocols: slices.Clone(e.opts.Protocols),
		DriverNames: datarecord.DriverNames(e.opts.DriverNames),
		Dialect:     e.opts.Dialect, TLS: e.opts.TLS, S3Region: e.opts.S3Region, Objects: map[string]int{},
	}
	version, err := e.kubernetesVersion()
	if err != nil {
		return SnapshotInfo{}, err
	}
	info.Kubernetes = version
	for _, s := range service.All() {
		if *s.SavedPort(&info), err = portOf(*s.Endpoint(&e.info)); err != nil {
			return SnapshotInfo{}, err
		}
	}
	for _, kind := range countedKinds(e.opts.API) {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		if err := e.client.List(ctx, list, &client.ListOptions{}); err != nil {
			return SnapshotInfo{}, fmt.Errorf("list %s: %w", kind.Kind, err)
		}
		info.Objects[kind.Kind] = len(list.Items)
	}
	return info, nil
}

func countedKinds(api objectstorage.Version) []schema.GroupVersionKind {
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "Namespace"}}
	for _, kind := range []string{"BucketClaim", "Bucket", "BucketAccess", "BucketClass", "BucketAccessClass"} {
		kinds = append(kinds, api.GroupVersion().WithKind(kind))
	}
	return kinds
}

func (e *Emulator) startedKind() ControlPlaneKind {
	if e.inProcessConfig(controlplane.AdminUser, controlplane.AdminGroup) != nil {
		return ControlPlaneEmbedded
	}
	return ControlPlaneEnvtest
}

func (e *Emulator) kubernetesVersion() (string, error) {
	found, err := discovery.NewDiscoveryClientForConfig(e.ownConfig())
	if err != nil {
		return "", err
	}
	version, err := found.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("read the version of the API server: %w", err)
	}
	return version.GitVersion, nil
}

// portOf returns the port of a URL; 0 without one.
func portOf(endpoint string) (int, error) {
	if endpoint == "" {
		return 0, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(u.Port())
}
