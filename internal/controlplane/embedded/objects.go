package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/memstore"
)

// objects are the objects of the API server. They are the component etcd: when it is
// down, the API server cannot read or write.
type objects struct {
	store *memstore.Store
	up    atomic.Bool
	ended bool // it was stopped or killed
}

func openObjects(opts controlplane.Options) (*objects, error) {
	switch {
	case opts.Data != "":
		return loadObjects(filepath.Join(opts.Data, memstore.SnapshotFile))
	case !opts.KeepData:
		return &objects{store: memstore.New(memstore.Options{})}, nil
	}
	if _, err := os.Stat(filepath.Join(opts.Dir, "etcd", "member")); err == nil {
		return nil, fmt.Errorf("%s has the data of an etcd; start the control plane with its programs, or use another directory", opts.Dir)
	}
	store, err := memstore.Open(opts.Dir, memstore.Options{})
	if err != nil {
		return nil, err
	}
	return &objects{store: store}, nil
}

// loadObjects returns the objects of a saved file, and keeps them in memory.
func loadObjects(name string) (*objects, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read from
	store := memstore.New(memstore.Options{})
	if err := store.Load(file); err != nil {
		store.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &objects{store: store}, nil
}

// Compact drops all events so far, as etcd does under kube-apiserver every few minutes: a watch or
// a list from an older version is answered with 410 Gone.
func (c *ControlPlane) Compact() error { return c.objects.store.Compact(c.objects.store.Revision()) }

// SaveData implements controlplane.ControlPlane. The state of a store at a revision is one
// moment.
func (c *ControlPlane) SaveData(_ context.Context, dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, memstore.SnapshotFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(c.objects.store.Save(file), file.Close())
}

// start reads the objects from the directory again, if they are kept: what a killed etcd has not written is lost.
func (o *objects) start(context.Context) error {
	if o.ended {
		if err := o.store.Reopen(); err != nil {
			return err
		}
	}
	o.up.Store(true)
	return nil
}

func (o *objects) stop(context.Context) error {
	o.kill()
	return nil
}

func (o *objects) kill() {
	o.up.Store(false)
	o.ended = true
}

// errDown is the error of a read or write while the component is down.
var errDown = errors.New("rpc error: code = Unavailable desc = etcd is down")

func (o *objects) check() error {
	if o.up.Load() {
		return nil
	}
	return errDown
}

// decorate is a generic.StorageDecorator.
func (o *objects) decorate(
	config *storagebackend.ConfigForResource, prefix string, key func(obj runtime.Object) (string, error),
	newFunc, newList func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *toolscache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	inner, destroy, err := o.store.Decorate(config, prefix, key, newFunc, newList, attributes, trigger, indexers)
	if err != nil {
		return nil, nil, err
	}
	return &gate{inner, o}, destroy, nil
}

// anyVersion is the resource version of reads that may be outdated.
const anyVersion = "0"

// gate is a storage that fails while the objects are down. Watches that have begun go on,
// and tell nothing, since nothing can be written; they end once the objects are read from the directory.
type gate struct {
	storage.Interface
	objects *objects
}

// Create implements storage.Interface.
func (g *gate) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if err := g.objects.check(); err != nil {
		return err
	}
	return g.Interface.Create(ctx, key, obj, out, ttl)
}

// Delete implements storage.Interface.
func (g *gate) Delete(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, cached runtime.Object, opts storage.DeleteOptions,
) error {
	if err := g.objects.check(); err != nil {
		return err
	}
	return g.Interface.Delete(ctx, key, out, preconditions, validate, cached, opts)
}

// Watch implements storage.Interface.
func (g *gate) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	if err := g.objects.check(); err != nil {
		return nil, err
	}
	return g.Interface.Watch(ctx, key, opts)
}

// Get implements storage.Interface. A kube-apiserver has what any version may answer in memory.
func (g *gate) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	if err := g.objects.check(); err != nil && opts.ResourceVersion != anyVersion {
		return err
	}
	return g.Interface.Get(ctx, key, opts, out)
}

// GetList implements storage.Interface. A kube-apiserver has what any version may answer in memory.
func (g *gate) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	if err := g.objects.check(); err != nil && opts.ResourceVersion != anyVersion {
		return err
	}
	return g.Interface.GetList(ctx, key, opts, list)
}

// GuaranteedUpdate implements storage.Interface.
func (g *gate) GuaranteedUpdate(
	ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, preconditions *storage.Preconditions,
	update storage.UpdateFunc, cached runtime.Object,
) error {
	if err := g.objects.check(); err != nil {
		return err
	}
	return g.Interface.GuaranteedUpdate(ctx, key, out, ignoreNotFound, preconditions, update, cached)
}

// ReadinessCheck implements storage.Interface.
func (g *gate) ReadinessCheck() error {
	if err := g.objects.check(); err != nil {
		return err
	}
	return g.Interface.ReadinessCheck()
}
