package hub

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// ReadAccess reads one BucketAccess of a version, with the fields from its class and its claim. If
// the access does not exist, the error is the API server's.
func ReadAccess(
	ctx context.Context, from client.Reader, version objectstorage.Version, key client.ObjectKey,
) (*v1alpha2.BucketAccess, error) {
	if version == objectstorage.V1alpha1 {
		return readAccessV1alpha1(ctx, from, key)
	}
	access := &v1alpha2.BucketAccess{}
	if err := from.Get(ctx, key, access); err != nil {
		return nil, err
	}
	return access, nil
}

func readAccessV1alpha1(ctx context.Context, from client.Reader, key client.ObjectKey) (*v1alpha2.BucketAccess, error) {
	access := &v1alpha1.BucketAccess{}
	if err := from.Get(ctx, key, access); err != nil {
		return nil, err
	}
	n := &natives{}
	if err := from.List(ctx, &n.events, client.InNamespace(key.Namespace)); err != nil {
		return nil, fmt.Errorf("list Events of namespace %s: %w", key.Namespace, err)
	}
	class, claim, bucket := v1alpha1.BucketAccessClass{}, v1alpha1.BucketClaim{}, v1alpha1.Bucket{}
	if err := get(ctx, from, client.ObjectKey{Name: access.Spec.BucketAccessClassName}, &class); err != nil {
		return nil, err
	}
	if err := get(ctx, from, client.ObjectKey{Namespace: key.Namespace, Name: access.Spec.BucketClaimName}, &claim); err != nil {
		return nil, err
	}
	if err := get(ctx, from, client.ObjectKey{Name: claim.Status.BucketName}, &bucket); err != nil {
		return nil, err
	}
	// Objects that do not exist have no name, and are not found by it.
	n.accessClasses.Items, n.claims.Items = []v1alpha1.BucketAccessClass{class}, []v1alpha1.BucketClaim{claim}
	n.buckets.Items = []v1alpha1.Bucket{bucket}
	converted := n.access(access)
	return &converted, nil
}

func get(ctx context.Context, from client.Reader, key client.ObjectKey, into client.Object) error {
	if key.Name == "" {
		return nil
	}
	if err := client.IgnoreNotFound(from.Get(ctx, key, into)); err != nil {
		return fmt.Errorf("get %T %s: %w", into, key, err)
	}
	return nil
}
