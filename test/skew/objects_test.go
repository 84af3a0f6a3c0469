package skew

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
)

const (
	kindClaim  = "BucketClaim"
	kindAccess = "BucketAccess"
	protocol   = "S3" // in both versions
)

// claim returns a claim in the version of the story.
func (s *story) claim(name, class string) *unstructured.Unstructured {
	return s.object(kindClaim, name, map[string]any{"bucketClassName": class, "protocols": []any{protocol}})
}

// access returns an access to a claim.
func (s *story) access(name, claim string) *unstructured.Unstructured {
	spec := map[string]any{"bucketAccessClassName": emulator.ClassStandard, "protocol": protocol}
	if s.api() == objectstorage.V1alpha1 {
		spec["bucketClaimName"], spec["credentialsSecretName"] = claim, secretOf(name)
	} else {
		spec["bucketClaims"] = []any{map[string]any{
			"bucketClaimName": claim, "accessSecretName": secretOf(name), "accessModes": map[string]any{"objectData": "ReadWrite"},
		}}
	}
	return s.object(kindAccess, name, spec)
}

func (s *story) object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "objectstorage.k8s.io/" + string(s.api()), "kind": kind,
		"metadata": map[string]any{"namespace": s.namespace, "name": name}, "spec": spec,
	}}
}

// secretOf returns the name of the Secret of an access.
func secretOf(access string) string { return access + "-credentials" }

// nameOf returns kind and name of an object.
func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + "/" + object.GetName()
}
