package v1alpha2_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/discovery"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// document is the part of an OpenAPI document that kubectl explain needs.
type document struct {
	Components struct {
		Schemas map[string]*property `json:"schemas"`
	} `json:"components"`
}

type property struct {
	Ref         string               `json:"$ref"`
	Description string               `json:"description"`
	Properties  map[string]*property `json:"properties"`
	Items       *property            `json:"items"`
	GVK         []map[string]string  `json:"x-kubernetes-group-version-kind"`
}

// TestExplain checks that kubectl explain describes every field.
func TestExplain(t *testing.T) {
	newServer(t) // skips the test without one
	doc := openAPI(t)
	kinds := 0
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		schema := doc.Components.Schemas[name]
		if len(schema.GVK) == 0 || schema.GVK[0]["group"] != v1alpha2.GroupName {
			continue
		}
		kinds++
		checkDescriptions(t, schema.GVK[0]["kind"], schema)
	}
	if want := 2 * 5; kinds != want {
		t.Errorf("the document describes %d kinds, want %d: five, and their lists", kinds, want)
	}
}

func openAPI(t *testing.T) document {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(controlplanetest.Start(t).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		t.Fatal(err)
	}
	data, err := paths["apis/"+v1alpha2.SchemeGroupVersion.String()].Schema(runtime.ContentTypeJSON)
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func checkDescriptions(t *testing.T, path string, p *property) {
	t.Helper()
	if p.Description == "" && p.Ref == "" {
		t.Errorf("%s has no description", path)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		checkDescriptions(t, path+"."+name, p.Properties[name])
	}
	if p.Items != nil {
		for _, name := range slices.Sorted(maps.Keys(p.Items.Properties)) {
			checkDescriptions(t, path+"[]."+name, p.Items.Properties[name])
		}
	}
}

// metaCodecs decodes the tables of the API server.
func metaCodecs() runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, v1alpha2.SchemeGroupVersion)
	scheme.AddKnownTypes(metav1.SchemeGroupVersion, &metav1.Table{}, &metav1.TableOptions{})
	return serializer.NewCodecFactory(scheme).WithoutConversion()
}
