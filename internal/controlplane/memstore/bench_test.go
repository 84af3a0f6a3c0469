package memstore

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/storage"
)

// stored is an object of a kind that the API server stores, encoded and decoded.
type stored struct {
	name    string
	codec   runtime.Codec
	newFunc func() runtime.Object
	object  runtime.Object
}

func storedObjects(b *testing.B) []stored {
	b.Helper()
	pod := newPod("pod")
	claim := newClaim()
	pod.Finalizers, pod.ManagedFields = claim.GetFinalizers(), claim.GetManagedFields()
	return []stored{
		{"custom resource", unstructured.UnstructuredJSONScheme, func() runtime.Object { return &unstructured.Unstructured{} }, claim},
		{"pod", apitesting.TestCodec(exampleCodecs, examplev1.SchemeGroupVersion), func() runtime.Object { return &example.Pod{} }, pod},
	}
}

// BenchmarkDecode measures a read if only bytes are stored.
func BenchmarkDecode(b *testing.B) {
	for _, s := range storedObjects(b) {
		b.Run(s.name, func(b *testing.B) {
			data, err := runtime.Encode(s.codec, s.object)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, _, err := s.codec.Decode(data, nil, s.newFunc()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCopy measures the most expensive read if decoded objects are kept.
func BenchmarkCopy(b *testing.B) {
	for _, s := range storedObjects(b) {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.object.DeepCopyObject()
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, s := range storedObjects(b) {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := runtime.Encode(s.codec, s.object); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func openBenchmark(b *testing.B) *resourceStore {
	b.Helper()
	store := New(Options{})
	b.Cleanup(store.Close)
	return openClaims(b, store, "v1")
}

func claimKey(i int) string {
	return fmt.Sprintf("/cosi/claims/ns/claim-%06d", i)
}

func mustCreateClaims(b *testing.B, r *resourceStore, count int) {
	b.Helper()
	for i := range count {
		if err := r.Create(b.Context(), claimKey(i), newClaim(), nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func updateClaim(ctx context.Context, r *resourceStore, key, state string) error {
	return r.GuaranteedUpdate(ctx, key, &unstructured.Unstructured{}, false, nil, storage.SimpleUpdate(
		func(obj runtime.Object) (runtime.Object, error) {
			claim, _ := obj.(*unstructured.Unstructured)
			claim.SetLabels(map[string]string{"state": state})
			return claim, nil
		}), nil)
}

func BenchmarkCreate(b *testing.B) {
	for _, before := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("of %d", before), func(b *testing.B) {
			r := openBenchmark(b)
			mustCreateClaims(b, r, before)
			b.ReportAllocs()
			for i := before; b.Loop(); i++ {
				if err := r.Create(b.Context(), claimKey(i), newClaim(), &unstructured.Unstructured{}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUpdate is an update with a number of watches, each of which gets the event.
func BenchmarkUpdate(b *testing.B) {
	for _, watches := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("with %d watches", watches), func(b *testing.B) {
			r := openBenchmark(b)
			mustCreateClaims(b, r, 1)
			var received sync.WaitGroup
			for range watches {
				w, err := r.Watch(b.Context(), "/cosi/claims", withDefaults(storage.ListOptions{ResourceVersion: "2"}))
				if err != nil {
					b.Fatal(err)
				}
				go func() {
					for range w.ResultChan() {
						received.Done()
					}
				}()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				received.Add(watches)
				if err := updateClaim(b.Context(), r, claimKey(0), strconv.Itoa(i)); err != nil {
					b.Fatal(err)
				}
				received.Wait()
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	r := openBenchmark(b)
	mustCreateClaims(b, r, 1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := r.Get(b.Context(), claimKey(i%1000), storage.GetOptions{}, &unstructured.Unstructured{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	const objects = 1000
	for _, test := range []struct {
		name string
		opts storage.ListOptions
	}{
		{"now", storage.ListOptions{}},
		{"100 writes ago", storage.ListOptions{ResourceVersion: strconv.Itoa(firstRevision + objects), ResourceVersionMatch: "Exact"}},
		{"first page", storage.ListOptions{Predicate: storage.SelectionPredicate{Limit: 10}}},
	} {
		b.Run(test.name, func(b *testing.B) {
			r := openBenchmark(b)
			mustCreateClaims(b, r, objects)
			for i := range 100 {
				if err := updateClaim(b.Context(), r, claimKey(i), "changed"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := r.GetList(b.Context(), "/cosi/claims", withDefaults(test.opts), &unstructured.UnstructuredList{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	r := openBenchmark(b)
	mustCreateClaims(b, r, 1000)
	b.ReportAllocs()
	for b.Loop() {
		r.store.Restore(r.store.Snapshot())
	}
}
