package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/memstore"
)

// objects are the objects of the API server. They are the component etcd: when it is
// down, the API server cannot read or write.
type objects struct {
	store *memstore.Store
	file  string // for the objects, if they are kept
	up    atomic.Bool

	saved  int64 // the revision in the file
	cancel context.CancelFunc
	saver  sync.WaitGroup
}

// saveInterval is how often the objects are saved, if they have changed. A process that
// is killed loses the changes since the last time.
const saveInterval = time.Second

// objectsFile is the file with the objects.
const objectsFile = "objects.jsonl"

func openObjects(opts controlplane.Options) (*objects, error) {
	o := &objects{store: memstore.New(memstore.Options{})}
	if opts.Data != "" {
		if err := o.load(filepath.Join(opts.Data, objectsFile)); err != nil {
			return o, err
		}
		return o, nil
	}
	if !opts.KeepData {
		return o, nil
	}
	if _, err := os.Stat(filepath.Join(opts.Dir, "etcd", "member")); err == nil {
		return nil, fmt.Errorf("%s has the data of an etcd; start the control plane with its programs, or use another directory", opts.Dir)
	}
	o.file = filepath.Join(opts.Dir, objectsFile)
	if err := o.load(o.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return o, nil
}

// load reads the objects of a file.
func (o *objects) load(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read from
	if err := o.store.Load(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Compact drops all events so far, as etcd does under kube-apiserver every few minutes: a watch or
// a list from an older version is answered with 410 Gone.
func (c *ControlPlane) Compact() error { return c.objects.store.Compact(c.objects.store.Revision()) }

// SaveData implements controlplane.ControlPlane. The state of a store at a revision is one
// moment.
func (c *ControlPlane) SaveData(_ context.Context, dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, objectsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(c.objects.store.Save(file), file.Close())
}

// save writes the objects, if they are kept. A save that is interrupted leaves the file
// as it was.
func (o *objects) save() error {
	revision := o.store.Revision()
	if o.file == "" || revision == o.saved {
		return nil
	}
	if err := atomicfile.Replace(o.file, 0o600, o.store.Save); err != nil {
		return err
	}
	o.saved = revision
	return nil
}

func (o *objects) close() error {
	err := o.save()
	o.store.Close()
	return err
}

func (o *objects) start(ctx context.Context) error {
	o.up.Store(true)
	if o.file != "" {
		running, cancel := context.WithCancel(context.WithoutCancel(ctx))
		o.cancel = cancel
		o.saver.Go(func() { o.keepSaving(running) })
	}
	return nil
}

// keepSaving saves the objects until ctx ends.
func (o *objects) keepSaving(ctx context.Context) {
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = o.save() // the next tick tries again, and stop returns the error
		}
	}
}

func (o *objects) stop(context.Context) error {
	o.kill()
	return o.save()
}

func (o *objects) kill() {
	o.up.Store(false)
	if o.cancel != nil {
		o.cancel()
		o.saver.Wait()
	}
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

// gate is a storage that fails while the objects are down. Watches that have begun go on,
// and tell nothing, since nothing can be written.
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

// Get implements storage.Interface.
func (g *gate) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	if err := g.objects.check(); err != nil {
		return err
	}
	return g.Interface.Get(ctx, key, opts, out)
}

// GetList implements storage.Interface.
func (g *gate) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	if err := g.objects.check(); err != nil {
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
