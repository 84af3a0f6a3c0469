package memstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	testingclock "k8s.io/utils/clock/testing"
)

var _ generic.StorageDecorator = (&Store{}).Decorate

func TestDecorateRejects(t *testing.T) {
	store := New(Options{})
	defer store.Close()
	for _, prefix := range []string{"", "/", "pods"} {
		config := storagebackend.NewDefaultConfig("/registry", nil).ForResource(schema.GroupResource{Resource: "pods"})
		_, _, err := store.Decorate(config, prefix, nil, nil, nil, nil, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "pods") {
			t.Errorf("resource prefix %q: %v, want an error that names the resource", prefix, err)
		}
	}
}

// Errors name the key as they do with etcd, because clients see them.
func TestKeysHavePrefix(t *testing.T) {
	store := New(Options{})
	defer store.Close()
	for _, prefix := range []string{"registry", "/registry", "/registry/"} {
		s := openTestResourceWith(t, store, prefix, "/pods/", nil)
		err := s.Get(t.Context(), "/pods/ns/none", storage.GetOptions{}, &example.Pod{})
		if want := storage.NewKeyNotFoundError("/registry/pods/ns/none", 0); !errors.Is(err, want) && err.Error() != want.Error() {
			t.Errorf("prefix %q: %v, want %v", prefix, err, want)
		}
	}
}

// One sequence of resource versions counts the writes of all resources.
func TestResourceVersionsAreOfTheStore(t *testing.T) {
	pods := newTestStore(t, nil)
	others := openTestResource(t, pods.store, "/others/", nil)
	first := pods.mustCreate(t, newPod("pod"), 0)
	second := &example.Pod{}
	if err := others.Create(t.Context(), "/others/ns/pod", newPod("pod"), second, 0); err != nil {
		t.Fatal(err)
	}
	if revisionOf(t, first) != firstRevision+1 || revisionOf(t, second) != firstRevision+2 {
		t.Errorf("resource versions %s and %s, want %d and %d", first.ResourceVersion, second.ResourceVersion, firstRevision+1, firstRevision+2)
	}
	if list := pods.mustList(t, storage.ListOptions{}); list.ResourceVersion != second.ResourceVersion || len(list.Items) != 1 {
		t.Errorf("%d pods at resource version %s, want 1 at %s", len(list.Items), list.ResourceVersion, second.ResourceVersion)
	}
}

func TestResourceVersionsThatAreNone(t *testing.T) {
	s := newTestStore(t, nil)
	const beyond = "9223372036854775809" // more than fits
	for _, opts := range []storage.ListOptions{
		{ResourceVersion: beyond, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: "latest"},
	} {
		if err := s.GetList(t.Context(), "/pods/", withDefaults(opts), &example.PodList{}); !apierrors.IsBadRequest(err) {
			t.Errorf("list at %s: %v, want a bad request", opts.ResourceVersion, err)
		}
		if _, err := s.Watch(t.Context(), "/pods/", withDefaults(opts)); err == nil {
			t.Errorf("watch from %s: no error", opts.ResourceVersion)
		}
	}
	err := s.Get(t.Context(), podKey("pod"), storage.GetOptions{ResourceVersion: "2"}, &example.Pod{})
	if !storage.IsTooLargeResourceVersion(err) {
		t.Errorf("get at a later resource version: %v, want that it is too large", err)
	}
}

func TestListAtZeroHasNoLimit(t *testing.T) {
	s := newTestStore(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		s.mustCreate(t, newPod(name), 0)
	}
	list := s.mustList(t, storage.ListOptions{ResourceVersion: "0", Predicate: storage.SelectionPredicate{Limit: 1}})
	if len(list.Items) != 3 || list.Continue != "" {
		t.Errorf("%d objects, continue %q, want all 3", len(list.Items), list.Continue)
	}
}

// A caller may change the results of a get, a create and an update.
func TestResultsArePrivate(t *testing.T) {
	s := newTestStore(t, nil)
	pod := newPod("pod")
	pod.Labels = map[string]string{"state": "stored"}
	spoil := func(pod *example.Pod) { pod.Labels["state"] = "spoilt" }
	check := func(when string) {
		t.Helper()
		got := &example.Pod{}
		if err := s.Get(t.Context(), podKey("pod"), storage.GetOptions{}, got); err != nil {
			t.Fatal(err)
		}
		if got.Labels["state"] != "stored" {
			t.Errorf("after %s the store has state %q", when, got.Labels["state"])
		}
		spoil(got)
	}
	spoil(s.mustCreate(t, pod, 0))
	check("a create")
	check("a get")
	spoil(s.mustLabel(t, "pod", "stored"))
	check("an update that changes nothing")
	s.mustLabel(t, "pod", "other")
	spoil(s.mustLabel(t, "pod", "stored"))
	check("an update")
	failing := errors.New("no")
	err := s.GuaranteedUpdate(t.Context(), podKey("pod"), &example.Pod{}, false, nil, storage.SimpleUpdate(
		func(obj runtime.Object) (runtime.Object, error) {
			existing, _ := obj.(*example.Pod)
			spoil(existing)
			return nil, failing
		}), nil)
	if !errors.Is(err, failing) {
		t.Fatal(err)
	}
	check("an update that fails")
}

func TestDetectMutations(t *testing.T) {
	store := New(Options{DetectMutations: true})
	s := openTestStore(t, store, nil)
	pod := newPod("pod")
	pod.Labels = map[string]string{"state": "stored"}
	s.mustCreate(t, pod, 0)
	s.mustList(t, storage.ListOptions{}).Items[0].Labels["state"] = "spoilt"
	defer func() {
		if message, _ := recover().(string); !strings.Contains(message, "/pods/ns/pod") {
			t.Errorf("panic %q, want one that names the object", message)
		}
	}()
	store.Close()
	t.Error("nobody noticed that a list was changed")
}

func TestExpiry(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	s := newTestStoreWith(t, nil, Options{Clock: clock, DetectMutations: true})
	w := s.mustWatch(t, storage.ListOptions{})
	s.mustCreate(t, newPod("long"), 100)
	s.mustCreate(t, newPod("short"), 10)
	s.mustCreate(t, newPod("renewed"), 10)
	s.mustCreate(t, newPod("kept"), 10)
	s.mustCreate(t, newPod("deleted"), 10)
	s.mustDelete(t, "deleted")
	s.mustLabel(t, "kept", "without a time to live, as in etcd")
	ttl := uint64(50)
	renewed := newPod("renewed")
	if err := s.GuaranteedUpdate(t.Context(), podKey("renewed"), renewed, false, nil,
		func(obj runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
			pod, _ := obj.(*example.Pod)
			pod.Labels = map[string]string{"state": "renewed"}
			return pod, &ttl, nil
		}, nil); err != nil {
		t.Fatal(err)
	}
	for range 8 { // the events so far
		nextPod(t, w)
	}
	for _, want := range []struct {
		step time.Duration
		name string
	}{{10 * time.Second, "short"}, {40 * time.Second, "renewed"}, {50 * time.Second, "long"}} {
		waitFor(t, func() bool { return hasTimer(s.store, clock) })
		clock.Step(want.step)
		kind, pod := nextPod(t, w)
		if kind != watch.Deleted || pod.Name != want.name {
			t.Errorf("%s event of %s, want DELETED of %s", kind, pod.Name, want.name)
		}
	}
	if list := s.mustList(t, storage.ListOptions{}); len(list.Items) != 1 || list.Items[0].Name != "kept" {
		t.Errorf("%d objects are left, want kept", len(list.Items))
	}
}

// hasTimer reports whether the store waits for the present next expiry.
func hasTimer(s *Store, clock *testingclock.FakeClock) bool {
	return len(s.expiry.changed) == 0 && clock.HasWaiters()
}

func TestCancelledWrites(t *testing.T) {
	s := newTestStore(t, nil)
	s.mustCreate(t, newPod("pod"), 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.label(ctx, "pod", "changed", &example.Pod{}); !storage.IsRequestTimeout(err) {
		t.Errorf("update: %v, want a timeout", err)
	}
	err := s.Delete(ctx, podKey("pod"), &example.Pod{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
	if !storage.IsRequestTimeout(err) {
		t.Errorf("delete: %v, want a timeout", err)
	}
	if err := s.GetList(ctx, "/pods/", withDefaults(storage.ListOptions{}), &example.PodList{}); !storage.IsRequestTimeout(err) {
		t.Errorf("list: %v, want a timeout", err)
	}
}

// Nothing is stored that cannot be read again.
func TestUnreadableIsNotStored(t *testing.T) {
	s := newTestStore(t, nil)
	s.setFailing(true)
	if err := s.Create(t.Context(), podKey("pod"), newPod("pod"), nil, 0); err == nil {
		t.Error("the object was stored")
	}
	s.setFailing(false)
	if list := s.mustList(t, storage.ListOptions{}); len(list.Items) != 0 || list.ResourceVersion != "1" {
		t.Errorf("%d objects at resource version %s, want none at 1", len(list.Items), list.ResourceVersion)
	}
}

// Versions of a custom resource have a resource store each, and share the objects through
// the bytes of their codecs.
func TestVersionsShareObjects(t *testing.T) {
	store := New(Options{DetectMutations: true})
	defer store.Close()
	v1, v2 := openClaims(t, store, "v1"), openClaims(t, store, "v2")
	claim := newClaim()
	w, err := v2.Watch(t.Context(), "/cosi/claims", withDefaults(storage.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if err := v1.Create(t.Context(), "/cosi/claims/ns/claim", claim, nil, 0); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"v1": "example.com/v1", "v2": "example.com/v2"}
	got := map[string]string{}
	for version, r := range map[string]*resourceStore{"v1": v1, "v2": v2} {
		for range 2 { // decoded, and kept
			read := &unstructured.Unstructured{}
			if err := r.Get(t.Context(), "/cosi/claims/ns/claim", storage.GetOptions{}, read); err != nil {
				t.Fatal(err)
			}
			got[version] = read.GetAPIVersion()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	event, _ := nextEvent(t, w)
	watched, _ := event.Object.(*unstructured.Unstructured)
	if watched.GetAPIVersion() != "example.com/v2" {
		t.Errorf("the watch of v2 got %s", watched.GetAPIVersion())
	}

	// The objects of versions that are served no more are not kept.
	v2.destroy()
	v3 := openClaims(t, store, "v3")
	list := &unstructured.UnstructuredList{}
	if err := v3.GetList(t.Context(), "/cosi/claims", withDefaults(storage.ListOptions{}), list); err != nil {
		t.Fatal(err)
	}
	rec, _ := store.get("/registry/cosi/claims/ns/claim")
	if rec.objects.of(v2) != nil || rec.objects.of(v1) == nil || rec.objects.of(v3) == nil {
		t.Error("kept are not the objects of v1 and v3 alone")
	}
}

func TestUnstructuredList(t *testing.T) {
	store := New(Options{DetectMutations: true})
	defer store.Close()
	claims := openClaims(t, store, "v1")
	created := &unstructured.Unstructured{}
	if err := claims.Create(t.Context(), "/cosi/claims/ns/claim", newClaim(), created, 0); err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	if err := claims.GetList(t.Context(), "/cosi/claims", withDefaults(storage.ListOptions{}), list); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]unstructured.Unstructured{*created}, list.Items, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

// versionCodec writes and reads custom resources as the API server does, and converts them
// to a version by renaming it.
type versionCodec struct {
	runtime.Codec
	apiVersion string
}

func (c versionCodec) Decode(
	data []byte, defaults *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := c.Codec.Decode(data, defaults, into)
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u.SetAPIVersion(c.apiVersion)
	}
	return obj, kind, err
}

func openClaims(tb testing.TB, store *Store, version string) *resourceStore {
	tb.Helper()
	codec := versionCodec{unstructured.UnstructuredJSONScheme, "example.com/" + version}
	config := storagebackend.NewDefaultConfig("/registry", codec).ForResource(schema.GroupResource{Group: "example.com", Resource: "claims"})
	r, err := store.resourceStore(config, "/cosi/claims", func() runtime.Object { return &unstructured.Unstructured{} })
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.destroy)
	return r
}

// newClaim returns an object of the size of a BucketClaim that is bound.
func newClaim() *unstructured.Unstructured {
	claim := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"bucketClassName": "class", "protocols": []any{"S3", "Azure"}},
		"status": map[string]any{
			"boundBucketName": "bc-0b0b9d4e-6e7c-4f5e-9f0c-2f6d5f1b7f3a", "readyToUse": true, "protocols": []any{"S3"},
			"conditions": []any{
				map[string]any{
					"type": "Provisioned", "status": "True", "reason": "Provisioned", "message": "The bucket is provisioned.",
					"observedGeneration": int64(1), "lastTransitionTime": "2026-01-01T00:00:00Z",
				},
			},
		},
	}}
	claim.SetAPIVersion("example.com/v1")
	claim.SetKind("Claim")
	claim.SetNamespace("ns")
	claim.SetName("claim")
	claim.SetUID("0b0b9d4e-6e7c-4f5e-9f0c-2f6d5f1b7f3a")
	claim.SetFinalizers([]string{"example.com/protection"})
	claim.SetManagedFields([]metav1.ManagedFieldsEntry{
		managedFields("kubectl", `{"f:spec":{"f:bucketClassName":{},"f:protocols":{}}}`),
		managedFields("controller", `{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/protection\"":{}}},`+
			`"f:status":{"f:boundBucketName":{},"f:conditions":{},"f:protocols":{},"f:readyToUse":{}}}`),
	})
	return claim
}

func managedFields(manager, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "example.com/v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(fields),
	}
}
