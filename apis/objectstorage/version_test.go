package objectstorage_test

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

func TestParseVersion(t *testing.T) {
	for _, want := range objectstorage.Versions() {
		if got, err := objectstorage.ParseVersion(string(want)); got != want || err != nil {
			t.Errorf("ParseVersion(%q) = %q, %v", want, got, err)
		}
	}
	for _, name := range []string{"", "v1", "V1alpha2"} {
		if _, err := objectstorage.ParseVersion(name); !errors.Is(err, objectstorage.ErrVersion) {
			t.Errorf("ParseVersion(%q) = %v, want ErrVersion", name, err)
		}
	}
}

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := objectstorage.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, version := range objectstorage.Versions() {
		for _, kind := range []string{"Bucket", "BucketClaim", "BucketAccess", "BucketClass", "BucketAccessClass"} {
			if gvk := version.GroupVersion().WithKind(kind); !scheme.Recognizes(gvk) {
				t.Errorf("the scheme does not have %s", gvk)
			}
		}
	}
}
