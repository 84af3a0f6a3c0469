package skew

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
)

const (
	kindBucket = "Bucket"
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

// accessOf returns an access to a claim with another class, as a ServiceAccount if the name is not empty.
func (s *story) accessOf(name, claim, class, serviceAccount string) *unstructured.Unstructured {
	access := s.access(name, claim)
	s.set(access, class, "spec", "bucketAccessClassName")
	if serviceAccount != "" {
		s.set(access, serviceAccount, "spec", "serviceAccountName")
	}
	return access
}

// accessToTwo returns an access to two claims, which v1alpha1 does not have.
func (s *story) accessToTwo(name, claim, other string) *unstructured.Unstructured {
	access := s.accessOf(name, claim, emulator.ClassMultiBucket, "")
	claims, _, err := unstructured.NestedSlice(access.Object, "spec", "bucketClaims")
	if err != nil {
		s.Fatal(err)
	}
	s.set(access, append(claims, map[string]any{
		"bucketClaimName": other, "accessSecretName": secretOf(name + "-other"), "accessModes": map[string]any{"objectData": "ReadOnly"},
	}), "spec", "bucketClaims")
	return access
}

// class returns a class of a kind.
func (s *story) class(kind, name string, fields map[string]any) *unstructured.Unstructured {
	fields["driverName"] = s.emu.Info().DriverName
	class := s.object(kind, name, fields)
	class.SetNamespace("")
	if s.api() == objectstorage.V1alpha1 {
		delete(class.Object, "spec")
		maps.Copy(class.Object, fields)
	}
	return class
}

// existing returns a claim for a bucket that existed before it, and its Bucket.
func (s *story) existing(name string) (bucket, claim *unstructured.Unstructured) {
	spec := map[string]any{
		"driverName": s.emu.Info().DriverName, "deletionPolicy": "Retain", "existingBucketID": name, "protocols": []any{protocol},
	}
	if s.api() == objectstorage.V1alpha1 {
		spec["bucketClassName"], spec["bucketClaim"] = "none", map[string]any{}
	} else {
		spec["bucketClaimRef"] = map[string]any{"namespace": s.namespace, "name": name}
	}
	bucket = s.object(kindBucket, name, spec)
	bucket.SetNamespace("")
	return bucket, s.object(kindClaim, name, map[string]any{"existingBucketName": name, "protocols": []any{protocol}})
}

func (s *story) set(object *unstructured.Unstructured, value any, fields ...string) {
	s.Helper()
	if err := unstructured.SetNestedField(object.Object, value, fields...); err != nil {
		s.Fatal(err)
	}
}

// secretsOf returns the names of the Secrets of an access.
func secretsOf(access *unstructured.Unstructured) []string {
	if name, found, _ := unstructured.NestedString(access.Object, "spec", "credentialsSecretName"); found {
		return []string{name}
	}
	var names []string
	claims, _, _ := unstructured.NestedSlice(access.Object, "spec", "bucketClaims")
	for _, claim := range claims {
		if of, isMap := claim.(map[string]any); isMap {
			names = append(names, fmt.Sprint(of["accessSecretName"]))
		}
	}
	return names
}

// secretOf returns the name of the Secret of an access.
func secretOf(access string) string { return access + "-credentials" }

// nameOf returns kind and name of an object.
func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + "/" + object.GetName()
}
