package controllers

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	informers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// resource is a resource whose objects can be deleted.
type resource = scheme.Resource

// change is a change of an object.
type change struct {
	of      resource
	object  *metav1.PartialObjectMetadata
	deleted bool
}

// monitors watch the metadata of all objects that can be deleted, for all controllers.
type monitors struct {
	client   metadata.Interface
	builtin  []resource
	handlers []func(change)
	work     sync.WaitGroup

	mu       sync.RWMutex
	running  map[schema.GroupVersionResource]*monitor
	versions map[schema.GroupKind][]string // that are served
}

// monitor watches the objects of one resource.
type monitor struct {
	of     resource
	lister toolscache.Indexer
	synced func() bool
	cancel context.CancelFunc
}

func newMonitors(client metadata.Interface, builtin []resource) *monitors {
	return &monitors{
		client: client, builtin: builtin,
		running: map[schema.GroupVersionResource]*monitor{}, versions: map[schema.GroupKind][]string{},
	}
}

// handle has a function called with each change, in the order of the changes of an
// object. It must not wait.
func (m *monitors) handle(f func(change)) { m.handlers = append(m.handlers, f) }

// start watches the built-in resources until ctx ends.
func (m *monitors) start(ctx context.Context) {
	for _, of := range m.builtin {
		m.setVersions(schema.GroupKind{Group: of.Group, Kind: of.Kind}, of.Version)
		m.add(ctx, of)
	}
}

func (m *monitors) wait() { m.work.Wait() }

// follow watches the resources of definitions as long as they are served, until ctx ends.
func (m *monitors) follow(ctx context.Context, definitions informers.CustomResourceDefinitionInformer) error {
	_, err := definitions.Informer().AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { m.update(ctx, obj) },
		UpdateFunc: func(_, obj any) { m.update(ctx, obj) },
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			if d, ok := obj.(*apiextensionsv1.CustomResourceDefinition); ok {
				m.keepOnly(d, nil)
			}
		},
	})
	return err
}

func (m *monitors) update(ctx context.Context, obj any) {
	d, ok := obj.(*apiextensionsv1.CustomResourceDefinition)
	if !ok {
		return
	}
	if !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established) {
		m.keepOnly(d, nil)
		return
	}
	if of, ok := resourceOf(d); ok {
		m.keepOnly(d, &of)
		m.setVersions(kindOf(d), servedVersions(d)...)
		m.add(ctx, of)
	}
}

func kindOf(d *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}
}

func servedVersions(d *apiextensionsv1.CustomResourceDefinition) []string {
	var served []string
	for _, v := range d.Spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	return served
}

func (m *monitors) setVersions(kind schema.GroupKind, versions ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.versions[kind] = versions
}

// resourceOf returns the resource in the version that is stored, or another that is
// served.
func resourceOf(d *apiextensionsv1.CustomResourceDefinition) (resource, bool) {
	of := resource{
		GroupVersionResource: schema.GroupVersionResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural},
		Kind:                 d.Spec.Names.Kind, Namespaced: d.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	for _, v := range d.Spec.Versions {
		if v.Served && (v.Storage || of.Version == "") {
			of.Version = v.Name
		}
	}
	return of, of.Version != ""
}

// watch reports whether the objects of resources, and of all that are watched, are known.
func (m *monitors) watch(resources []schema.GroupResource) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known := map[schema.GroupResource]bool{}
	for gvr, running := range m.running {
		if !running.synced() {
			return false
		}
		known[gvr.GroupResource()] = true
	}
	return !slices.ContainsFunc(resources, func(r schema.GroupResource) bool { return !known[r] })
}

// keepOnly ends the monitors of a definition's resource in other versions.
func (m *monitors) keepOnly(d *apiextensionsv1.CustomResourceDefinition, keep *resource) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if keep == nil {
		delete(m.versions, kindOf(d))
	}
	for gvr, running := range m.running {
		if gvr.Group == d.Spec.Group && gvr.Resource == d.Spec.Names.Plural && (keep == nil || gvr != keep.GroupVersionResource) {
			running.cancel()
			delete(m.running, gvr)
		}
	}
}

func (m *monitors) add(ctx context.Context, of resource) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.running[of.GroupVersionResource]; ok || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	informer := metadatainformer.NewFilteredMetadataInformer(m.client, of.GroupVersionResource, metav1.NamespaceAll, 0,
		toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}, nil).Informer()
	if _, err := informer.AddEventHandler(m.handler(of)); err != nil {
		cancel()
		return // the informer has stopped, which it has not
	}
	m.running[of.GroupVersionResource] = &monitor{of, informer.GetIndexer(), informer.HasSynced, cancel}
	m.work.Go(func() {
		if m.awaitServed(ctx, of) == nil {
			informer.RunWithContext(ctx)
		}
	})
}

const servedInterval = 5 * time.Millisecond

// awaitServed waits until the server has seen the definition too. Otherwise the informer
// would wait for about a second after its first error.
func (m *monitors) awaitServed(ctx context.Context, of resource) error {
	return wait.PollUntilContextCancel(ctx, servedInterval, true, func(ctx context.Context) (bool, error) {
		_, err := m.client.Resource(of.GroupVersionResource).List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
		return err == nil, nil
	})
}

func (m *monitors) handler(of resource) toolscache.ResourceEventHandler {
	notify := func(obj any, deleted bool) {
		if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		object, ok := obj.(*metav1.PartialObjectMetadata)
		if !ok {
			return
		}
		for _, f := range m.handlers {
			f(change{of, object, deleted})
		}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { notify(obj, false) },
		UpdateFunc: func(_, obj any) { notify(obj, false) },
		DeleteFunc: func(obj any) { notify(obj, true) },
	}
}

// resources returns the watched resources.
func (m *monitors) resources() []resource {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := make([]resource, 0, len(m.running))
	for _, running := range m.running {
		all = append(all, running.of)
	}
	return all
}

// ofKind returns the resource of a kind, in any version.
func (m *monitors) ofKind(kind schema.GroupKind) (resource, bool) {
	all := m.resources()
	i := slices.IndexFunc(all, func(r resource) bool { return r.Group == kind.Group && r.Kind == kind.Kind })
	if i < 0 {
		return resource{}, false
	}
	return all[i], true
}

// serves reports whether a kind is served in the version of a reference.
func (m *monitors) serves(gvk schema.GroupVersionKind) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Contains(m.versions[gvk.GroupKind()], gvk.Version)
}

// count returns the number of objects of a resource in a namespace.
func (m *monitors) count(of schema.GroupResource, namespace string) (int, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for gvr, running := range m.running {
		if gvr.GroupResource() == of {
			keys, err := running.lister.IndexKeys(toolscache.NamespaceIndex, namespace)
			return len(keys), err == nil
		}
	}
	return 0, false
}
