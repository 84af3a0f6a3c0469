package oracle

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
)

// Observe records the current state under a name, for messages. restless means that
// the components did not become idle.
func (w *Watcher) Observe(ctx context.Context, name string, scope eventscope.Scope, restless bool) error {
	m := Observation{Name: name, After: w.journal.Mark(), Active: restless}
	v := &view{client: w.emulator.Client(), scope: scope}
	if err := v.read(ctx); err != nil {
		return err
	}
	truth, err := w.backendState(ctx)
	if err != nil {
		return err
	}
	w.readContents(ctx, scope, truth)
	m.Objects, m.Backend, m.Until = v.objects(), truth, w.journal.Mark()
	if !restless { // a key may just be revoked
		if m.KeyUses, err = w.TryKeys(ctx, scope, truth); err != nil {
			return fmt.Errorf("try the keys that were given: %w", err)
		}
		uses, err := w.TryGrantedKeys(ctx, scope)
		if err != nil {
			return fmt.Errorf("try the keys that drivers have returned: %w", err)
		}
		m.KeyUses = append(m.KeyUses, uses...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteServed()
	w.learnSecrets(v)
	w.redactObjects(&m.Objects)
	w.observations = append(w.observations, m)
	return nil
}

// DiscardObservation removes the last observation, so that it can be repeated.
func (w *Watcher) DiscardObservation() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.observations) > 0 {
		w.observations = w.observations[:len(w.observations)-1]
	}
}

// backendState returns the state of the store, or nil if there is none.
func (w *Watcher) backendState(ctx context.Context) (*BackendState, error) {
	store := w.emulator.Store()
	if store == nil {
		return nil, nil //nolint:nilnil // the state of an external backend is unknown
	}
	t := &BackendState{}
	for _, c := range w.emulator.Components() {
		if c.Name() == emulator.ComponentDriver {
			t.Drivers = append(t.Drivers, w.emulator.Info().DriverName)
		} else if driver, ok := strings.CutPrefix(c.Name(), emulator.ComponentDriver+"."); ok {
			t.Drivers = append(t.Drivers, driver)
		}
	}
	var err error
	if t.Buckets, err = store.Buckets(ctx); err != nil {
		return nil, err
	}
	if len(t.Buckets) == 0 { // else the files may hold their contents
		if t.Files, err = w.emulator.ContentFiles(); err != nil {
			return nil, err
		}
	}
	t.Accounts, err = store.Accounts(ctx)
	return t, err
}

// readContents adds what the buckets of the scope hold.
func (w *Watcher) readContents(ctx context.Context, scope eventscope.Scope, truth *BackendState) {
	if truth == nil {
		return
	}
	truth.Contents = map[string]emulator.Contents{}
	for _, b := range truth.Buckets {
		if b.Protocol == fakedriver.ProtocolS3 && (scope.Names(b.Name) || scope.Names(b.Owner)) {
			truth.Contents[b.Name] = w.emulator.Contents(ctx, b.Name)
		}
	}
}

// view is the state of the API server.
type view struct {
	client client.Client
	scope  eventscope.Scope

	claims        v1alpha2.BucketClaimList
	buckets       v1alpha2.BucketList
	accesses      v1alpha2.BucketAccessList
	secrets       corev1.SecretList
	bucketClasses v1alpha2.BucketClassList
	accessClasses v1alpha2.BucketAccessClassList
}

// read sends all list requests at the same time.
func (v *view) read(ctx context.Context) error {
	var all sync.WaitGroup
	lists := []client.ObjectList{&v.claims, &v.buckets, &v.accesses, &v.secrets, &v.bucketClasses, &v.accessClasses}
	failed := make([]error, len(lists))
	for i, list := range lists {
		all.Go(func() { failed[i] = v.client.List(ctx, list, v.within(list)...) })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// within limits a list to the namespace of the scope, if it has exactly one.
func (v *view) within(list client.ObjectList) []client.ListOption {
	switch list.(type) {
	case *v1alpha2.BucketList, *v1alpha2.BucketClassList, *v1alpha2.BucketAccessClassList:
		return nil // cluster-wide
	}
	if v.scope.Alone || len(v.scope.Namespaces) != 1 {
		return nil
	}
	return []client.ListOption{client.InNamespace(v.scope.Namespaces[0])}
}

func (v *view) objects() Objects {
	var o Objects
	for i := range v.claims.Items {
		if c := &v.claims.Items[i]; v.scope.HasNamespace(c.Namespace) {
			c.ManagedFields = nil
			o.Claims = append(o.Claims, *c)
		}
	}
	for i := range v.buckets.Items {
		b := &v.buckets.Items[i]
		b.ManagedFields = nil
		o.Buckets = append(o.Buckets, *b) // all Buckets, because any may have the ID of a bucket in the backend
	}
	for i := range v.accesses.Items {
		if a := &v.accesses.Items[i]; v.scope.HasNamespace(a.Namespace) {
			a.ManagedFields = nil
			o.Accesses = append(o.Accesses, *a)
		}
	}
	for i := range v.secrets.Items {
		if s := &v.secrets.Items[i]; v.scope.HasNamespace(s.Namespace) && isAccessSecret(s) {
			o.Secrets = append(o.Secrets, accessSecret(s))
		}
	}
	for i := range v.bucketClasses.Items {
		v.bucketClasses.Items[i].ManagedFields = nil
		o.BucketClasses = append(o.BucketClasses, v.bucketClasses.Items[i])
	}
	for i := range v.accessClasses.Items {
		o.AccessClasses = append(o.AccessClasses, v.accessClasses.Items[i].Name)
	}
	return o
}

func isAccessSecret(s *corev1.Secret) bool {
	return s.Annotations[v1alpha2.BucketAccessReferenceAnnotation] != ""
}

func accessSecret(s *corev1.Secret) AccessSecret {
	_, access, _ := strings.Cut(s.Annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	a := AccessSecret{
		Namespace: s.Namespace, Name: s.Name, Access: access, Empty: len(s.Data) == 0,
		Deleting: s.DeletionTimestamp != nil, Finalizers: s.Finalizers,
	}
	if owner := metav1.GetControllerOf(s); owner != nil {
		a.Owner = owner.UID
	}
	return a
}
