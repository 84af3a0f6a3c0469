package crds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const approved = "unapproved, experimental v1alpha2 changes"

// KEP: LIFE-1, UPGRADE-2
func TestAll(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, crd := range all {
		names = append(names, crd.Name)
		// Without it the API server rejects a group below k8s.io. Its value starts with
		// "unapproved" unless it is the address of a review.
		if got := crd.Annotations[apiextensionsv1.KubeAPIApprovedAnnotation]; got != approved {
			t.Errorf("%s has the annotation %s %q, want %q", crd.Name, apiextensionsv1.KubeAPIApprovedAnnotation, got, approved)
		}
		checkVersion(t, crd)
	}
	want := []string{
		"bucketaccessclasses.objectstorage.k8s.io",
		"bucketaccesses.objectstorage.k8s.io",
		"bucketclaims.objectstorage.k8s.io",
		"bucketclasses.objectstorage.k8s.io",
		"buckets.objectstorage.k8s.io",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func checkVersion(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	if len(crd.Spec.Versions) != 1 {
		t.Fatalf("%s has %d versions, want one", crd.Name, len(crd.Spec.Versions))
	}
	version := crd.Spec.Versions[0]
	if version.Name != v1alpha2.SchemeGroupVersion.Version || !version.Served || !version.Storage {
		t.Errorf("%s has version %s, served %t, stored %t", crd.Name, version.Name, version.Served, version.Storage)
	}
}

// TestAllIsTheCallers checks that callers do not share the objects.
func TestAllIsTheCallers(t *testing.T) {
	first, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	first[0].Name = "changed"
	second, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if second[0].Name == first[0].Name {
		t.Error("two calls return the same object")
	}
}
