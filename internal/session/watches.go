package session

import (
	"context"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/definitions"
	"github.com/cosi-emu/cosi-emu/internal/denial"
)

// watches follow objects on the API server while the emulator runs.
type watches struct {
	running sync.WaitGroup
	cancel  context.CancelFunc // nil if they do not run

	mu sync.Mutex
	// foreign is the warning about definitions of another draft, or "".
	foreign string
	// denials are the rights that components lack, each once.
	denials []denial.Denial
}

// startWatches follows the definitions of COSI's kinds, and objects that refer to a class named
// default.
func (s *Session) startWatches(ctx context.Context) {
	ctx, s.watches.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.watches.running.Go(func() { s.publishChanges(ctx) })
	if s.emulator.Info().StoreOnly {
		return
	}
	s.watches.running.Go(func() { s.followDenials(ctx) })
	see := s.definitionSeen()
	s.follow(ctx, apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), seer{add: see, update: see})
	// The classes of an existing cluster are its administrator's, and scenarios declare their own.
	if s.cluster == nil && !s.opts.Emulator.Strict {
		s.followDefaultClasses(ctx)
	}
}

// publishChanges publishes the description when the emulator reports a change, until ctx is done.
func (s *Session) publishChanges(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			_ = s.publish() // as for definitions
		}
	}
}

func (s *Session) stopWatches() {
	if s.watches.cancel != nil {
		s.watches.cancel()
	}
	s.watches.running.Wait()
}

// definitionSeen returns the function that receives the definitions, for one goroutine.
func (s *Session) definitionSeen() func(*unstructured.Unstructured) {
	own := s.opts.Emulator.Implementations
	replaced := (own.Controller != nil || own.ControllerCommand != nil) && (own.Sidecar != nil || own.SidecarCommand != nil)
	tracker := &definitions.Tracker{Version: s.emulator.Info().API, OwnComponents: !replaced}
	return func(object *unstructured.Unstructured) {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, definition); err != nil || !tracker.See(definition) {
			return
		}
		s.watches.mu.Lock()
		s.watches.foreign = tracker.Warning()
		s.watches.mu.Unlock()
		_ = s.publish() // Wait publishes again, and returns the error of a missing directory
	}
}

// warnings returns the current warnings.
func (w *watches) warnings() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	if w.foreign != "" {
		all = append(all, w.foreign)
	}
	for _, denied := range w.denials {
		all = append(all, denied.String())
	}
	return all
}

// follow calls see for each object of a kind, and for its changes, until ctx is done.
func (s *Session) follow(ctx context.Context, kind schema.GroupVersionKind, see seer) {
	list := func() *unstructured.UnstructuredList {
		all := &unstructured.UnstructuredList{}
		all.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		return all
	}
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			all := list()
			return all, s.emulator.Client().List(ctx, all, &client.ListOptions{Raw: &options})
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return s.emulator.Client().Watch(ctx, list(), &client.ListOptions{Raw: &options})
		},
	}
	reflector := toolscache.NewReflectorWithOptions(source, &unstructured.Unstructured{}, see, toolscache.ReflectorOptions{})
	s.watches.running.Go(func() { reflector.RunWithContext(ctx) })
}

// seer is a store that keeps nothing, because an emulator may have many objects. A function may be
// nil.
type seer struct {
	add, update func(*unstructured.Unstructured)
}

var _ toolscache.ReflectorStore = seer{}

func (s seer) Add(object any) error { return tell(s.add, object) }

func (s seer) Update(object any) error { return tell(s.update, object) }

func (seer) Delete(any) error { return nil }

func (s seer) Replace(all []any, _ string) error {
	for _, object := range all {
		if err := tell(s.add, object); err != nil {
			return err
		}
	}
	return nil
}

func (seer) Resync() error { return nil }

func tell(see func(*unstructured.Unstructured), object any) error {
	if object, ok := object.(*unstructured.Unstructured); ok && see != nil {
		see(object)
	}
	return nil
}
