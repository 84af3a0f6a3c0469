package crds_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
)

// TestFields compares the fields of every kind with the KEP's API reference, so that neither has
// more.
// KEP: CHANGE-6, CHANGE-11, USE-7, API-BUCKET-0, API-BUCKET-STATUS-6, API-CLAIM-0, API-CLASS-0
// KEP: API-ACCESS-0, API-ACCESS-4, API-ACCESS-SPEC-2, API-ACCESSCLASS-0, ALT-1
func TestFields(t *testing.T) {
	want := map[string]string{
		"Bucket": `
			spec.bucketClaimRef.name spec.bucketClaimRef.namespace spec.bucketClaimRef.uid
			spec.deletionPolicy spec.driverName spec.existingBucketID spec.parameters{} spec.protocols[]
			status.bucketID status.bucketInfo{} status.conditions[] status.protocols[] status.readyToUse`,
		"BucketClaim": `
			spec.bucketClassName spec.existingBucketName spec.protocols[]
			status.boundBucketName status.conditions[] status.protocols[] status.readyToUse`,
		"BucketClass": `spec.deletionPolicy spec.driverName spec.parameters{}`,
		"BucketAccess": `
			spec.bucketAccessClassName
			spec.bucketClaims[].accessModes.bucketMetadata spec.bucketClaims[].accessModes.objectData
			spec.bucketClaims[].accessModes.objectMetadata spec.bucketClaims[].accessSecretName
			spec.bucketClaims[].bucketClaimName
			spec.protocol spec.serviceAccountName
			status.accessedBuckets[].bucketClaimName status.accessedBuckets[].bucketID status.accessedBuckets[].bucketName
			status.accountID status.authenticationType status.conditions[] status.driverName status.parameters{}
			status.readyToUse`,
		"BucketAccessClass": `
			spec.authenticationType
			spec.disallowedBucketAccessModes.bucketMetadata[] spec.disallowedBucketAccessModes.objectData[]
			spec.disallowedBucketAccessModes.objectMetadata[]
			spec.driverName spec.multiBucketAccess spec.parameters{}`,
	}
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, crd := range all {
		schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		for _, ofEveryObject := range []string{"apiVersion", "kind", "metadata"} {
			delete(schema.Properties, ofEveryObject)
		}
		got[crd.Spec.Names.Kind] = fields("", schema)
	}
	for kind, listed := range want {
		if diff := cmp.Diff(strings.Fields(listed), got[kind]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		delete(got, kind)
	}
	if len(got) > 0 {
		t.Errorf("kinds that the KEP does not have: %v", slices.Sorted(maps.Keys(got)))
	}
}

// fields are the paths of all values below a schema, except those of Kubernetes' conditions.
func fields(path string, schema *apiextensionsv1.JSONSchemaProps) []string {
	switch {
	case strings.HasSuffix(path, "status.conditions"):
		return []string{path + "[]"}
	case schema.Items != nil:
		return fields(path+"[]", schema.Items.Schema)
	case schema.AdditionalProperties != nil:
		return fields(path+"{}", schema.AdditionalProperties.Schema)
	case len(schema.Properties) == 0:
		return []string{path}
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		found = append(found, fields(strings.TrimPrefix(path+"."+name, "."), &property)...)
	}
	return found
}
