package bucketview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// errReadOnly is the answer to a write of a Bucket in v1alpha1.
var errReadOnly = errors.New("a Bucket in " + string(objectstorage.V1alpha1) +
	" is a view for drivers, which can only be read: change it in " + string(objectstorage.V1alpha2))

// IDFunc returns the ID by which the driver knows a bucket: a bridge stores it beside the ID in the Bucket.
type IDFunc func(ctx context.Context, bucketID string) (string, error)

// review answers a request of the API server.
func review(ctx context.Context, asked *apiextensionsv1.ConversionRequest, ownID IDFunc) *apiextensionsv1.ConversionResponse {
	response := &apiextensionsv1.ConversionResponse{UID: asked.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, object := range asked.Objects {
		converted, err := convert(ctx, object.Raw, asked.DesiredAPIVersion, ownID)
		if err != nil {
			response.ConvertedObjects, response.Result = nil, metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
			return response
		}
		response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Object: converted})
	}
	return response
}

func convert(ctx context.Context, data []byte, desired string, ownID IDFunc) (*v1alpha1.Bucket, error) {
	if desired != v1alpha1.SchemeGroupVersion.String() {
		return nil, errReadOnly
	}
	stored := &v1alpha2.Bucket{}
	if err := json.Unmarshal(data, stored); err != nil {
		return nil, fmt.Errorf("read a Bucket of %s: %w", objectstorage.V1alpha2, err)
	}
	var err error
	id := stored.Status.BucketID
	if id != "" {
		if id, err = ownID(ctx, id); err != nil {
			return nil, err
		}
	}
	bucket := &v1alpha1.Bucket{
		TypeMeta:   metav1.TypeMeta{APIVersion: desired, Kind: stored.Kind},
		ObjectMeta: stored.ObjectMeta,
		Spec: v1alpha1.BucketSpec{
			DriverName: stored.Spec.DriverName, BucketClaim: claimOf(stored.Spec.BucketClaimRef), Protocols: protocolsOf(stored),
			Parameters: stored.Spec.Parameters, DeletionPolicy: v1alpha1.DeletionPolicy(stored.Spec.DeletionPolicy),
			ExistingBucketID: stored.Spec.ExistingBucketID,
		},
		Status: v1alpha1.BucketStatus{BucketReady: stored.Status.ReadyToUse, BucketID: id},
	}
	return bucket, nil
}

func claimOf(ref v1alpha2.BucketClaimReference) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: v1alpha2.SchemeGroupVersion.String(), Kind: "BucketClaim", Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID,
	}
}

// protocolsOf returns the protocols of the bucket, or those that the claim requires.
func protocolsOf(stored *v1alpha2.Bucket) []v1alpha1.Protocol {
	names := stored.Status.Protocols
	if len(names) == 0 {
		names = stored.Spec.Protocols
	}
	all := make([]v1alpha1.Protocol, 0, len(names)) // v1alpha1 requires the field
	for _, name := range names {
		protocol := v1alpha1.Protocol(name)
		if canonical, known := protocol.Canonical(); known {
			protocol = canonical
		}
		all = append(all, protocol)
	}
	return all
}
