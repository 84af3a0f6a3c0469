package interference

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// otherSecretSuffix is the end of the other name of a Secret.
const otherSecretSuffix = "-edited"

// changeSpec changes the fields of a spec that components act on. The API server accepts the other values, and
// components can provision a claim, a Bucket or an access with them.
func (t *target) changeSpec(o *unstructured.Unstructured) {
	spec, ok := o.Object["spec"].(map[string]any)
	if !ok { // a class of v1alpha1 has its fields at the top level
		spec = o.Object
	}
	switch t.kind {
	case "BucketClaim":
		t.changeProtocols(spec)
	case "BucketAccess":
		t.changeAccess(spec)
	case "Bucket":
		spec["deletionPolicy"] = otherPolicy(spec)
	case "BucketClass":
		spec["deletionPolicy"] = otherPolicy(spec)
		changeParameters(spec)
	case "BucketAccessClass":
		t.changeAuthentication(spec)
		changeParameters(spec)
	}
}

// changeProtocols makes a claim require S3 if it requires no protocol, and none otherwise. A driver that serves
// another protocol only cannot serve every other value.
func (t *target) changeProtocols(spec object) {
	protocols, _ := spec["protocols"].([]any)
	switch {
	case len(protocols) == 0:
		spec["protocols"] = []any{string(v1alpha2.ProtocolS3)}
	case t.version == objectstorage.V1alpha1: // v1alpha1 requires the field
		spec["protocols"] = []any{}
	default: // v1alpha2 rejects an empty list
		delete(spec, "protocols")
	}
}

// changeAccess changes the name of each Secret, so that the Secret of the earlier access must vanish, and in v1alpha2
// the access modes.
func (t *target) changeAccess(spec object) {
	if t.version == objectstorage.V1alpha1 {
		appendTo(spec, "credentialsSecretName")
		return
	}
	claims, _ := spec["bucketClaims"].([]any)
	for _, entry := range claims {
		claim, _ := entry.(map[string]any)
		appendTo(claim, "accessSecretName")
		modes, _ := claim["accessModes"].(map[string]any)
		for category, mode := range modes {
			modes[category] = otherMode(mode)
		}
	}
}

func appendTo(fields object, name string) {
	if value, ok := fields[name].(string); ok {
		fields[name] = value + otherSecretSuffix
	}
}

func otherMode(set any) string {
	if set == string(v1alpha2.BucketAccessModeReadWrite) {
		return string(v1alpha2.BucketAccessModeReadOnly)
	}
	return string(v1alpha2.BucketAccessModeReadWrite)
}

func otherPolicy(spec any) string {
	fields, _ := spec.(map[string]any)
	if fields["deletionPolicy"] == string(v1alpha2.DeletionPolicyRetain) {
		return string(v1alpha2.DeletionPolicyDelete)
	}
	return string(v1alpha2.DeletionPolicyRetain)
}

func (t *target) changeAuthentication(spec object) {
	const field = "authenticationType"
	switch {
	case t.version != objectstorage.V1alpha1:
		spec[field] = string(otherAuthentication(spec[field]))
	case spec[field] == string(v1alpha1.AuthenticationTypeKey):
		spec[field] = string(v1alpha1.AuthenticationTypeIAM)
	default:
		spec[field] = string(v1alpha1.AuthenticationTypeKey)
	}
}

// changeParameters adds a parameter that the fake driver stores, and that has no other effect.
func changeParameters(spec object) {
	parameters, ok := spec["parameters"].(map[string]any)
	if !ok {
		parameters = map[string]any{}
		spec["parameters"] = parameters
	}
	parameters[fakedriver.ParameterNote] = mark
}
