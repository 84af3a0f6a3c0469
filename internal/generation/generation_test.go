package generation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/generation"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// describe returns the fields of a class that its creator chooses.
func describe(t *testing.T, o client.Object) string {
	t.Helper()
	switch c := o.(type) {
	case *v1alpha1.BucketClass:
		return fmt.Sprintf("BucketClass/%s %s %s %v", c.Name, c.DriverName, c.DeletionPolicy, c.Parameters)
	case *v1alpha1.BucketAccessClass:
		return fmt.Sprintf("BucketAccessClass/%s %s %s %v", c.Name, c.DriverName, c.AuthenticationType, c.Parameters)
	case *v1alpha2.BucketClass:
		return fmt.Sprintf("BucketClass/%s %s %s %v", c.Name, c.Spec.DriverName, c.Spec.DeletionPolicy, c.Spec.Parameters)
	case *v1alpha2.BucketAccessClass:
		return fmt.Sprintf("BucketAccessClass/%s %s %s %s %v",
			c.Name, c.Spec.DriverName, c.Spec.AuthenticationType, c.Spec.MultiBucketAccess, c.Spec.Parameters)
	default:
		t.Fatalf("%T is no class", o)
		return ""
	}
}

func TestOf(t *testing.T) {
	tests := map[string]struct {
		version objectstorage.Version
		dialect dialects.Dialect
		classes []string
		rbac    bool // has the rights of a v1alpha1 sidecar
	}{
		"v1alpha1": {
			version: objectstorage.V1alpha1, dialect: dialects.V1alpha1,
			classes: []string{
				"BucketClass/fast driver.test Delete map[a:b]", "BucketClass/kept driver.test Retain map[a:b]",
				"BucketAccessClass/fast driver.test Key map[c:d]",
			},
			rbac: true,
		},
		"v1alpha2": {
			version: objectstorage.V1alpha2, dialect: dialects.KEP,
			classes: []string{
				"BucketClass/fast driver.test Delete map[a:b]", "BucketClass/kept driver.test Retain map[a:b]",
				"BucketAccessClass/fast driver.test Key SingleBucket map[c:d]",
				"BucketAccessClass/many driver.test Key MultipleBuckets map[c:d]",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g := generation.Of(tc.version)
			if g.Dialect != tc.dialect {
				t.Errorf("dialect %s, want %s", g.Dialect, tc.dialect)
			}
			var classes []string
			for _, o := range g.Classes(generation.Classes{
				Standard: "fast", StandardRetain: "kept", MultiBucket: "many", Driver: "driver.test",
				BucketParameters: map[string]string{"a": "b"}, AccessParameters: map[string]string{"c": "d"},
			}) {
				classes = append(classes, describe(t, o))
			}
			if diff := cmp.Diff(tc.classes, classes); diff != "" {
				t.Errorf("classes: -want, +got:\n%s", diff)
			}
			manifests, err := g.RBAC()
			if err != nil {
				t.Fatal(err)
			}
			own := false
			for _, m := range manifests {
				own = own || m.Name == "rbac/v1alpha1/sidecar.yaml"
			}
			if own != tc.rbac {
				t.Errorf("rights of a v1alpha1 sidecar: %v, want %v", own, tc.rbac)
			}
		})
	}
}
