package scale

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// CreateNamespace creates a namespace with a generated name, and returns the name.
func CreateNamespace(ctx context.Context, c client.Client, prefix string) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix}}
	if err := c.Create(ctx, namespace); err != nil {
		return "", fmt.Errorf("create a namespace: %w", err)
	}
	return namespace.Name, nil
}

// NewClaim returns a claim for a bucket with S3.
func NewClaim(namespace, name, class string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
}

// NewAccess returns an access to the bucket of a claim. Its Secret has the same name.
func NewAccess(namespace, name, claim, class string) *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: class,
			Protocol:              v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName:  claim,
				AccessSecretName: name,
				AccessModes:      v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
}
