package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Observe records the current state under a name, for messages. restless means that the components
// did not become idle. Observe asks for the scope more than once, because another run may start
// beside one that is alone.
func (w *Watcher) Observe(ctx context.Context, name string, current func() eventscope.Scope, restless bool) error {
	scope := current()
	m := observed.Observation{Name: name, After: w.journal.Mark(), Active: restless}
	lists, err := w.read(ctx, scope)
	if err != nil {
		return err
	}
	truth, err := w.backendState(ctx)
	if err != nil {
		return err
	}
	w.readContents(ctx, scope, truth)
	m.Objects, m.Backend, m.Until = NewObjects(lists), truth, w.journal.Mark()
	if restless {
		m.Waiting = w.waiting(scope)
	} else { // otherwise a key may just be being revoked
		if m.KeyUses, err = w.TryKeys(ctx, current, truth); err != nil {
			return fmt.Errorf("try the keys that were given: %w", err)
		}
		uses, err := w.TryGrantedKeys(ctx, current)
		if err != nil {
			return fmt.Errorf("try the keys that drivers have returned: %w", err)
		}
		m.KeyUses = append(m.KeyUses, uses...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteServed()
	w.learnSecrets(lists.Secrets)
	w.redactObjects(&m.Objects)
	w.observations = append(w.observations, m)
	return nil
}

// waiting returns the calls to drivers without an answer.
func (w *Watcher) waiting(scope eventscope.Scope) (calls []journal.Event) {
	for _, e := range w.journal.Pending() {
		if e.Seam == journal.SeamRPC && scope.Concerns(e) {
			calls = append(calls, journal.Event{
				Component: e.Component, Seam: e.Seam, Operation: e.Operation, Time: e.Time, Duration: time.Since(e.Time),
			})
		}
	}
	return calls
}

// DiscardObservation removes the last observation, so that it can be repeated.
func (w *Watcher) DiscardObservation() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.observations) > 0 {
		w.observations = w.observations[:len(w.observations)-1]
	}
}

// backendState returns the state of the store, or nil without one.
func (w *Watcher) backendState(ctx context.Context) (*observed.BackendState, error) {
	store := w.emulator.Store()
	if store == nil {
		return nil, nil
	}
	t := &observed.BackendState{}
	info := w.emulator.Info()
	for _, c := range info.Components {
		if c.Name == vocabulary.Driver {
			t.Drivers = append(t.Drivers, info.DriverName)
		} else if driver, ok := strings.CutPrefix(c.Name, vocabulary.Driver+"."); ok {
			t.Drivers = append(t.Drivers, driver)
		}
	}
	var err error
	if t.Buckets, err = store.Buckets(ctx); err != nil {
		return nil, err
	}
	if len(t.Buckets) == 0 { // otherwise the files may have their contents
		if t.Files, err = store.ContentFiles(); err != nil {
			return nil, err
		}
	}
	t.Accounts, err = store.Accounts(ctx)
	return t, err
}

func (w *Watcher) readContents(ctx context.Context, scope eventscope.Scope, truth *observed.BackendState) {
	if truth == nil {
		return
	}
	truth.Contents = map[string]backend.Contents{}
	for _, b := range truth.Buckets {
		if scope.Names(b.Name) || scope.Names(b.Owner) {
			truth.Contents[b.Name] = w.emulator.Store().Contents(ctx, b.Name)
		}
	}
}

// read reads the objects of the scope from the API server.
func (w *Watcher) read(ctx context.Context, scope eventscope.Scope) (hub.Lists, error) {
	var opts hub.Options
	if !scope.Alone && len(scope.Namespaces) == 1 {
		opts.Namespace = scope.Namespaces[0]
	}
	lists, err := hub.Read(ctx, w.emulator.Client(), w.api, opts)
	if err != nil {
		return hub.Lists{}, err
	}
	lists.Claims = slices.DeleteFunc(lists.Claims, func(c v1alpha2.BucketClaim) bool { return !scope.HasNamespace(c.Namespace) })
	lists.Accesses = slices.DeleteFunc(lists.Accesses, func(a v1alpha2.BucketAccess) bool { return !scope.HasNamespace(a.Namespace) })
	lists.Secrets = slices.DeleteFunc(lists.Secrets, func(s corev1.Secret) bool { return !scope.HasNamespace(s.Namespace) })
	// All Buckets stay, because any may have the ID of a bucket in the backend.
	return lists, nil
}

// NewObjects returns the objects of an observation.
func NewObjects(from hub.Lists) observed.Objects {
	o := observed.Objects{
		Claims: from.Claims, Buckets: from.Buckets, Accesses: from.Accesses,
		BucketClasses: from.BucketClasses, AccessClasses: from.AccessClasses,
	}
	for i := range from.Secrets {
		o.Secrets = append(o.Secrets, accessSecret(&from.Secrets[i]))
	}
	return o
}

func accessSecret(s *corev1.Secret) observed.AccessSecret {
	_, access, _ := strings.Cut(s.Annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	a := observed.AccessSecret{
		Namespace: s.Namespace, Name: s.Name, Access: access, Empty: len(s.Data) == 0,
		Deleting: s.DeletionTimestamp != nil, Finalizers: s.Finalizers,
	}
	if owner := metav1.GetControllerOf(s); owner != nil {
		a.Owner = owner.UID
	}
	return a
}
