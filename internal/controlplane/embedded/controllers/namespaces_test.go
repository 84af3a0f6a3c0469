package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionslisters "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	metadatafake "k8s.io/client-go/metadata/fake"
	toolscache "k8s.io/client-go/tools/cache"
)

// TestResources: as long as the cache has another version of a definition than the API server, the resources are not known, and
// no namespace is released.
func TestResources(t *testing.T) {
	t.Parallel()
	definition := func(version string, established apiextensionsv1.ConditionStatus) *apiextensionsv1.CustomResourceDefinition {
		return &apiextensionsv1.CustomResourceDefinition{
			TypeMeta:   metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
			ObjectMeta: metav1.ObjectMeta{Name: "odds.example.com", UID: "u", Generation: 1, ResourceVersion: version},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: "example.com", Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "odds", Kind: "Odd"},
				Scope:    apiextensionsv1.NamespaceScoped,
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			},
			Status: apiextensionsv1.CustomResourceDefinitionStatus{
				Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: established}},
			},
		}
	}
	for name, tc := range map[string]struct {
		reason string
		cached *apiextensionsv1.CustomResourceDefinition
		want   []string // nil: an error
	}{
		"Same":           {"all is known", definition("2", apiextensionsv1.ConditionTrue), []string{"odds"}},
		"NotEstablished": {"the kind is served now, and has objects", definition("1", apiextensionsv1.ConditionFalse), nil},
		"Missing":        {"likewise", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, nil)
			if tc.cached != nil {
				if err := known.Add(tc.cached); err != nil {
					t.Fatal(err)
				}
			}
			scheme := runtime.NewScheme()
			if err := metav1.AddMetaToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			of := definition("2", apiextensionsv1.ConditionTrue)
			live := &metav1.PartialObjectMetadata{TypeMeta: of.TypeMeta, ObjectMeta: of.ObjectMeta}
			n := &namespaces{
				metadata: metadatafake.NewSimpleMetadataClient(scheme, live),
				defined:  extensionslisters.NewCustomResourceDefinitionLister(known),
			}
			resources, err := n.resources(t.Context())
			var got []string
			for _, of := range resources {
				got = append(got, of.Resource)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.want != nil) {
				t.Errorf("%s (-want +got):\n%s%v", tc.reason, diff, err)
			}
		})
	}
}
