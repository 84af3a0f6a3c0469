package ui

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const (
	// listTimeout limits the first list of a kind, and pause is the time between two watches.
	listTimeout = 30 * time.Second
	pause       = 250 * time.Millisecond
	// storePause is the minimum time between reads of the store.
	storePause = 250 * time.Millisecond
)

// driverComponents are the components whose states are the driver's.
var driverComponents = []string{emulator.ComponentDriver, emulator.ComponentSidecar}

// kept is a node, and the change with which it became as it is; nil if it has ended.
type kept struct {
	node    *node
	version uint64
}

// ending is the change with which an object has ended.
type ending struct {
	id      string
	version uint64
}

// graph has the objects of an emulator: the objects of Kubernetes by watches, and the objects of
// the backend from the store.
type graph struct {
	emulator *emulator.Emulator
	history  *history
	stale    atomic.Bool // the store may have changed

	mu      sync.Mutex
	version uint64
	nodes   map[string]kept
	gone    []ending                              // the latest, the oldest first
	class   map[string]*unstructured.Unstructured // by ID, including ended ones
	down    map[string]journal.Event              // the events with which stopped components ended
}

func newGraph(emu *emulator.Emulator, h *history) *graph {
	g := &graph{
		emulator: emu, history: h, nodes: map[string]kept{}, class: map[string]*unstructured.Unstructured{},
		down: map[string]journal.Event{},
	}
	g.stale.Store(true)
	return g
}

// start reads all objects, and follows them until running is done.
func (g *graph) start(ctx, running context.Context, done *sync.WaitGroup) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	versions := map[string]string{}
	gvks := g.kinds()
	for _, gvk := range gvks {
		version, err := g.list(ctx, gvk)
		if err != nil {
			return fmt.Errorf("list %s: %w", gvk.Kind, err)
		}
		versions[gvk.Kind] = version
	}
	g.history.begin()
	for _, gvk := range gvks {
		done.Go(func() { g.follow(running, gvk, versions[gvk.Kind]) })
	}
	done.Go(func() { g.followJournal(running) })
	done.Go(func() { g.followStore(running) })
	return nil
}

// kinds are the watched kinds. Objects that components create come last, so that users' objects are
// known before.
func (g *graph) kinds() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for _, kind := range []string{kindClass, kindAccessClass, kindClaim, kindBucket, kindAccess} {
		all = append(all, g.emulator.Info().API.GroupVersion().WithKind(kind))
	}
	return append(all, schema.GroupVersionKind{Version: "v1", Kind: kindSecret})
}

// list reads all objects of a kind, and returns the version from which to watch.
func (g *graph) list(ctx context.Context, gvk schema.GroupVersionKind) (version string, err error) {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := g.emulator.Client().List(ctx, all); err != nil {
		return "", err
	}
	there := map[string]bool{}
	for i := range all.Items {
		o := &all.Items[i]
		o.SetGroupVersionKind(gvk)
		there[nodeID(gvk.Kind, o.GetNamespace(), o.GetName())] = true
		g.seen(o, false)
	}
	for id, k := range g.snapshot() {
		if k.node != nil && k.node.Kind == gvk.Kind && !there[id] {
			g.remove(id)
			g.history.gone(k.node.Kind, k.node.Namespace, k.node.Name, 0)
		}
	}
	return all.GetResourceVersion(), nil
}

func (g *graph) snapshot() map[string]kept {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.nodes)
}

// follow watches a kind. After an outage of the API server, it lists again.
func (g *graph) follow(ctx context.Context, gvk schema.GroupVersionKind, version string) {
	for ctx.Err() == nil {
		if version != "" {
			g.watch(ctx, gvk, version)
		}
		if !wait(ctx, pause) {
			return
		}
		version, _ = g.list(ctx, gvk)
	}
}

func (g *graph) watch(ctx context.Context, gvk schema.GroupVersionKind, version string) {
	of := &unstructured.UnstructuredList{}
	of.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	w, err := g.emulator.Client().Watch(ctx, of, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	if err != nil {
		return
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-w.ResultChan():
			o, ok := event.Object.(*unstructured.Unstructured)
			if !open || !ok || event.Type == watch.Error {
				return
			}
			if event.Type != watch.Bookmark {
				o.SetGroupVersionKind(gvk)
				g.seen(o, event.Type == watch.Deleted)
			}
		}
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// seen takes an object from a list or a watch.
func (g *graph) seen(o *unstructured.Unstructured, deleted bool) {
	kind := o.GetKind()
	if kind == kindSecret {
		unstructured.RemoveNestedField(o.Object, "data") // the page shows no values
	}
	n := newNode(o)
	if kind == kindClass || kind == kindAccessClass {
		g.mu.Lock()
		g.class[n.ID] = o
		g.mu.Unlock()
	}
	if deleted {
		g.remove(n.ID)
		g.history.gone(kind, n.Namespace, n.Name, number(o.GetResourceVersion()))
		return
	}
	g.put(n)
	g.history.seen(o)
}

func (g *graph) put(n *node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.version++
	g.nodes[n.ID] = kept{n, g.version}
}

// maxGone is the maximum number of ended objects in memory.
const maxGone = 4096

func (g *graph) remove(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.version++
	g.nodes[id] = kept{nil, g.version}
	g.gone = append(g.gone, ending{id, g.version})
	if len(g.gone) <= maxGone {
		return
	}
	oldest := g.gone[0]
	g.gone = g.gone[1:]
	if g.nodes[oldest.id].version == oldest.version { // else, it was created again
		delete(g.nodes, oldest.id)
	}
}

// since returns the changes after a version; 0 is before everything.
func (g *graph) since(version uint64) (nodes []*node, gone []string, now uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if version == g.version {
		return nil, nil, version
	}
	for id, k := range g.nodes {
		switch {
		case k.version <= version:
		case k.node != nil:
			nodes = append(nodes, k.node)
		case version > 0:
			gone = append(gone, id)
		}
	}
	return nodes, gone, g.version
}

// classes returns the classes by their IDs, including ended ones.
func (g *graph) classes() map[string]*unstructured.Unstructured {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.class)
}

func (g *graph) subjects(id string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.nodes[id].node; n != nil {
		return n.Subjects
	}
	return nil
}

// followJournal notes possible changes of the store, and stopped components.
func (g *graph) followJournal(ctx context.Context) {
	for e := range g.emulator.Journal().Follow(ctx, 0) {
		switch e.Seam {
		case journal.SeamRPC, journal.SeamStore:
			g.stale.Store(true)
		case journal.SeamProcess:
			g.stale.Store(true)
			g.noteProcess(e)
		case journal.SeamAPI, journal.SeamLog:
		}
	}
}

func (g *graph) noteProcess(e journal.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch e.Operation.Name {
	case journal.StepStop, journal.StepCrash, journal.StepFail:
		g.down[e.Component] = e
	case journal.StepReady:
		delete(g.down, e.Component)
	}
}

// readDriver reads the state of the emulator's driver and of its sidecar.
func (g *graph) readDriver() {
	info := g.emulator.Info()
	if info.DriverName == "" {
		return
	}
	n := &node{ID: nodeID(kindDriver, "", info.DriverName), Kind: kindDriver, Name: info.DriverName, State: stateGood}
	for _, c := range info.Components {
		if slices.Contains(driverComponents, c.Name) && c.State != emulator.StateRunning {
			n.State = stateAwful
			n.Conditions = append(n.Conditions, condition{Type: c.Name, Status: string(c.State), State: stateAwful})
		}
	}
	if known := g.snapshot()[n.ID].node; known == nil || !reflect.DeepEqual(known, n) {
		g.put(n)
	}
}

// followStore reads the store and the state of the driver after possible changes.
func (g *graph) followStore(ctx context.Context) {
	for {
		g.readDriver()
		if g.stale.Swap(false) {
			g.readStore(ctx)
		}
		if !wait(ctx, storePause) {
			return
		}
	}
}

func (g *graph) readStore(ctx context.Context) {
	store := g.emulator.Store()
	if store == nil {
		return
	}
	there, err := storeNodes(ctx, store)
	if err != nil {
		g.stale.Store(true)
		return
	}
	before := g.snapshot()
	for id, n := range there {
		if k := before[id]; k.node == nil || !slices.Equal(k.node.Links, n.Links) {
			g.put(n)
		}
	}
	for id, k := range before {
		if k.node != nil && (k.node.Kind == kindBackend || k.node.Kind == kindAccount) && there[id] == nil {
			g.remove(id)
		}
	}
}

// storeNodes returns the nodes of buckets and accounts by their IDs, without the root
// account.
func storeNodes(ctx context.Context, store emulator.Store) (map[string]*node, error) {
	buckets, err := store.Buckets(ctx)
	if err != nil {
		return nil, err
	}
	accounts, err := store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	nodes := map[string]*node{}
	add := func(n *node) {
		n.ID, n.State, n.Subjects = nodeID(n.Kind, "", n.Name), stateNone, []string{n.Name}
		nodes[n.ID] = n
	}
	for _, b := range buckets {
		add(&node{Kind: kindBackend, Name: b.Name, Created: &b.CreatedAt})
	}
	for _, a := range accounts {
		if a.ID == emulator.RootAccount {
			continue
		}
		n := &node{Kind: kindAccount, Name: a.ID, Created: &a.CreatedAt}
		for _, grant := range a.Grants {
			n.Links = append(n.Links, nodeID(kindBackend, "", grant.Bucket))
		}
		add(n)
	}
	return nodes, nil
}

// secretOf returns the name of the Secret of the BucketAccess NAMESPACE/NAME for a claim. The claim
// may be empty if there is only one.
func (g *graph) secretOf(access, claim string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[kindAccess+"/"+access].node
	if n == nil {
		return ""
	}
	position, found := 0, ""
	claims := 0
	for _, link := range n.Links {
		kind, name, _ := strings.Cut(link, "/")
		_, name, _ = strings.Cut(name, "/")
		switch kind {
		case kindClaim:
			claims++
			if name == claim {
				position = claims
			}
		case kindSecret:
			if claim == "" || claims == position {
				return name
			}
			found = name
		}
	}
	return found
}
