package interference

import (
	"context"
	"errors"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// final are other values for the status fields that the KEP makes immutable once they are set.
var final = map[string]any{
	"boundBucketName":    otherName,
	"bucketID":           otherName,
	"accountID":          otherName,
	"driverName":         otherName + ".example.com",
	"parameters":         object{mark: "true"},
	"accessedBuckets":    []any{object{"bucketName": otherName, "bucketID": otherName, "bucketClaimName": otherName}},
	"authenticationType": nil, // the other type
}

// otherName is the name and the ID of no object.
const otherName = "edited-by-hand"

// editStatus writes other values into the status. The API server rejects changes of final fields,
// which a request for each of them shows. Unset fields stay unset: no component could repair a
// user's value in a final field.
func (t *target) editStatus(ctx context.Context) error {
	status, _, _ := unstructured.NestedMap(t.object.Object, "status")
	if t.version == objectstorage.V1alpha1 {
		return t.flipReadiness(ctx, status)
	}
	ready, _ := status["readyToUse"].(bool)
	change := object{"readyToUse": !ready, "conditions": []any{}}
	if set, ok := status["protocols"].([]any); ok && t.kind == "BucketClaim" { // copied from the Bucket
		change["protocols"] = otherProtocols(set)
	}
	errs := []error{t.patch(ctx, object{"status": change}, "status")}
	for _, field := range slices.Sorted(maps.Keys(final)) {
		if status[field] == nil {
			continue
		}
		value := final[field]
		if field == "authenticationType" {
			value = otherAuthentication(status[field])
		}
		if err := t.patch(ctx, object{"status": object{field: value}}, "status"); !apierrors.IsInvalid(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// readiness are the fields of v1alpha1 for the readiness of an object.
var readiness = map[string]string{"BucketClaim": "bucketReady", "Bucket": "bucketReady", "BucketAccess": "accessGranted"}

// flipReadiness edits a status of v1alpha1. It keeps names and IDs: v1alpha1 does not protect them,
// and no component could restore them.
func (t *target) flipReadiness(ctx context.Context, status map[string]any) error {
	field := readiness[t.kind]
	ready, _ := status[field].(bool)
	return t.patch(ctx, object{"status": object{field: !ready}}, "status")
}

// otherProtocols returns the protocols that a list lacks, or the list itself if it has all.
func otherProtocols(set []any) []any {
	var others []any
	for _, protocol := range []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolAzure, v1alpha2.ProtocolGCS} {
		if !slices.Contains(set, any(string(protocol))) {
			others = append(others, string(protocol))
		}
	}
	if len(others) == 0 {
		return set
	}
	return others
}

func otherAuthentication(set any) v1alpha2.AuthenticationType {
	if set == string(v1alpha2.AuthenticationTypeKey) {
		return v1alpha2.AuthenticationTypeServiceAccount
	}
	return v1alpha2.AuthenticationTypeKey
}
