package apiserver_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

func TestProbe(t *testing.T) {
	for range 2 {
		began := time.Now()
		cfg := start(t)
		kinds, err := crds.For(objectstorage.V1alpha2)
		if err != nil {
			t.Fatal(err)
		}
		if err := controlplane.InstallCRDs(t.Context(), cfg, kinds); err != nil {
			t.Fatal(err)
		}
		t.Logf("CRDs after %v", time.Since(began))
		s := runtime.NewScheme()
		_ = clientgoscheme.AddToScheme(s)
		_ = objectstorage.AddToScheme(s)
		c, err := client.NewWithWatch(cfg, client.Options{Scheme: s})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}); err != nil {
			t.Fatal(err)
		}
		bucket := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: v1alpha2.BucketClassSpec{DriverName: "d.example", DeletionPolicy: "Delete"}}
		if err := c.Create(ctx, bucket); err != nil {
			t.Fatal(err)
		}
		t.Logf("created after %v %+v", time.Since(began), bucket)
		at := time.Now()
		const n = 200
		for i := range n {
			b := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "c"}, Spec: v1alpha2.BucketClassSpec{DriverName: "d.example", DeletionPolicy: "Delete"}}
			if err := c.Create(ctx, b); err != nil {
				t.Fatal(err)
			}
			_ = i
		}
		t.Logf("%v a create", time.Since(at)/n)
		at = time.Now()
		for i := range n {
			b := bucket.DeepCopy()
			b.Labels = map[string]string{"i": time.Duration(i).String()}
			if err := c.Patch(ctx, b, client.MergeFrom(bucket)); err != nil {
				t.Fatal(err)
			}
			bucket = b
		}
		t.Logf("%v a patch", time.Since(at)/n)
		at = time.Now()
		for range n {
			if err := c.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%v a get", time.Since(at)/n)
	}
}
