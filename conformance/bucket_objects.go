package conformance

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// bucketObjects are the Buckets that a driver of v1alpha1 may read in a call. COSI has one before it calls
// DriverCreateBucket, and until no call about the bucket is repeated any more: here until the control plane ends.
type bucketObjects struct {
	controlPlane *emulator.Emulator
	driverName   func() string
}

// intercept is an interceptor of the connection to the driver.
func (b *bucketObjects) intercept(
	ctx context.Context, method string, request, response any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	asked, ok := request.(*cosiv1alpha1.DriverCreateBucketRequest)
	if !ok {
		return invoke(ctx, method, request, response, conn, opts...)
	}
	bucket, err := b.create(ctx, asked)
	if err != nil {
		return fmt.Errorf("create Bucket %q, which the driver may read: %w", asked.GetName(), err)
	}
	if err := invoke(ctx, method, request, response, conn, opts...); err != nil {
		return err
	}
	created, ok := response.(*cosiv1alpha1.DriverCreateBucketResponse)
	if !ok || bucket == nil {
		return nil
	}
	return b.setReady(ctx, bucket, created.GetBucketId())
}

// create creates the Bucket of a request, unless there is one, or it would be none that COSI could have.
func (b *bucketObjects) create(ctx context.Context, asked *cosiv1alpha1.DriverCreateBucketRequest) (client.Object, error) {
	if err := b.controlPlane.ServeV1alpha1Buckets(ctx); err != nil {
		return nil, err
	}
	const claim, namespace = "claim", "default"
	meta := metav1.ObjectMeta{Name: asked.GetName()}
	var bucket client.Object = &v1alpha2.Bucket{ObjectMeta: meta, Spec: v1alpha2.BucketSpec{
		DriverName: b.driverName(), DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: asked.GetParameters(),
		BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: namespace, Name: claim},
	}}
	if b.controlPlane.Info().API == objectstorage.V1alpha1 {
		bucket = &v1alpha1.Bucket{ObjectMeta: meta, Spec: v1alpha1.BucketSpec{
			DriverName: b.driverName(), DeletionPolicy: v1alpha1.DeletionPolicyDelete, Parameters: asked.GetParameters(),
			BucketClaim: &corev1.ObjectReference{Namespace: namespace, Name: claim}, Protocols: []v1alpha1.Protocol{},
		}}
	}
	err := b.controlPlane.Client().Create(ctx, bucket)
	if apierrors.IsInvalid(err) || apierrors.IsAlreadyExists(err) {
		return nil, nil
	}
	return bucket, err
}

// setReady writes the ID that the driver has returned.
func (b *bucketObjects) setReady(ctx context.Context, bucket client.Object, id string) error {
	switch bucket := bucket.(type) {
	case *v1alpha1.Bucket:
		bucket.Status = v1alpha1.BucketStatus{BucketReady: true, BucketID: id}
	case *v1alpha2.Bucket:
		bucket.Status.ReadyToUse, bucket.Status.BucketID = true, id
	}
	if err := b.controlPlane.Client().Status().Update(ctx, bucket); err != nil && !apierrors.IsInvalid(err) {
		return fmt.Errorf("write the status of Bucket %q, which the driver may read: %w", bucket.GetName(), err)
	}
	return nil
}
