package bucketaccess

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// findClass determines whether the access is the driver's, which depends on its class.
func (a *attempt) findClass(ctx context.Context) (err error) {
	name := a.Object.Spec.BucketAccessClassName
	if a.class, err = a.classFrom(ctx, a.cached); err != nil {
		return err
	}
	isOurs := recordOf(a.Object) != nil
	switch {
	case a.class != nil && a.driver.Serves(a.class.DriverName):
		return nil
	case a.class != nil && isOurs:
		return a.leaveClass()
	case a.class != nil || !isOurs && !a.bucketIsOurs(ctx):
		return cosireconcile.ErrDone
	case a.Object.Status.AccessGranted:
		return nil
	default:
		return reasons.Waiting(v1alpha2.ReasonBucketAccessClassNotFound, "BucketAccessClass %q does not exist", name)
	}
}

// leaveClass ignores a class that is another driver's now, which is possible for a granted access
// only.
func (a *attempt) leaveClass() error {
	if !a.Object.Status.AccessGranted {
		return reasons.Invalid(v1alpha2.ReasonDriverMismatch, "BucketAccessClass %q is of driver %s now, and access by driver %s may exist: "+
			"delete this BucketAccess and create it again", a.class.Name, a.class.DriverName, a.driver.Name())
	}
	a.class = nil // the class of the grant does not exist any more
	return nil
}

// classFrom returns the class of the access, or nil.
func (a *attempt) classFrom(ctx context.Context, from client.Reader) (*v1alpha1.BucketAccessClass, error) {
	return objectFrom[v1alpha1.BucketAccessClass](ctx, from, client.ObjectKey{Name: a.Object.Spec.BucketAccessClassName})
}

// bucketIsOurs reports whether the Bucket of the access is the driver's. Then its users get the
// reason for which the access cannot continue, although no class names the driver.
func (a *attempt) bucketIsOurs(ctx context.Context) bool {
	bucket, err := a.claimed(ctx)
	return err == nil && a.driver.Serves(bucket.Spec.DriverName)
}

// checkSpec checks an access before the driver is called.
func (a *attempt) checkSpec(context.Context) error {
	spec := a.Object.Spec
	switch {
	case a.Object.Status.AccessGranted:
		return nil
	case a.class.AuthenticationType == v1alpha1.AuthenticationTypeIAM && spec.ServiceAccountName == "":
		return reasons.Invalid(v1alpha2.ReasonServiceAccountRequired, "the class authenticates by IAM: spec.serviceAccountName is required")
	case spec.CredentialsSecretName == "":
		return reasons.Invalid(v1alpha2.ReasonInvalidSpec, "spec.credentialsSecretName is empty")
	}
	return errors.Join(a.checkProtocol(), a.checkAuthentication())
}

// checkProtocol finds a misspelt protocol, or one that BucketInfo does not support. An access may
// have none.
func (a *attempt) checkProtocol() error {
	written := a.Object.Spec.Protocol
	meant, known := written.Canonical()
	switch {
	case known && meant == v1alpha1.ProtocolGCP, !known && written != "":
		return a.Tolerate(v1alpha2.ReasonProtocolNotSupported,
			fmt.Sprintf("spec.protocol is %q, but the BucketInfo of %s has a place for S3 and Azure only", written, v1alpha1.SchemeGroupVersion),
			"the driver decides which of the two it is")
	case known && meant != written:
		return a.Tolerate(v1alpha2.ReasonProtocolNotSupported,
			fmt.Sprintf("spec.protocol is %q, which is not spelt %s", written, meant), "letter case does not count")
	}
	return nil
}

// checkAuthentication finds a type that requests to the driver cannot express.
func (a *attempt) checkAuthentication() error {
	if a.class.AuthenticationType.IsKnown() {
		return nil
	}
	return a.Tolerate(v1alpha2.ReasonInvalidSpec,
		fmt.Sprintf("BucketAccessClass %q has the authenticationType %q, which must be Key or IAM", a.class.Name, a.class.AuthenticationType),
		"the driver is told that the type is unknown")
}

// findBucket finds the Bucket, and waits until it can be accessed. Watches of the claim and of the
// Bucket cause the next reconcile.
func (a *attempt) findBucket(ctx context.Context) (err error) {
	if a.bucket, err = a.claimed(ctx); err == nil {
		err = a.checkBucket(a.bucket)
	}
	if _, isReason := reasons.As(err); isReason && a.upToDate {
		return cosireconcile.ErrDone // the access stays until it is deleted
	}
	return err
}

func (a *attempt) claimed(ctx context.Context) (*v1alpha1.Bucket, error) {
	claim, err := objectFrom[v1alpha1.BucketClaim](ctx, a.cached, a.claimKey())
	if err != nil {
		return nil, err
	}
	if err := a.checkClaim(claim); err != nil {
		return nil, err
	}
	bucket, err := objectFrom[v1alpha1.Bucket](ctx, a.cached, client.ObjectKey{Name: claim.Status.BucketName})
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Waiting(v1alpha2.ReasonWaitingForBucket,
			"Bucket %q of BucketClaim %q does not exist", claim.Status.BucketName, claim.Name)
	case bucket.Spec.BucketClaim != nil && bucket.Spec.BucketClaim.UID != "" && bucket.Spec.BucketClaim.UID != claim.UID:
		return nil, reasons.Invalid(v1alpha2.ReasonBindingConflict, "Bucket %q belongs to another BucketClaim than %q", bucket.Name, claim.Name)
	}
	return bucket, nil
}

func (a *attempt) claimKey() client.ObjectKey {
	return client.ObjectKey{Namespace: a.Object.Namespace, Name: a.Object.Spec.BucketClaimName}
}

// checkClaim checks that access to the Bucket of a claim, which may be nil, can be granted.
func (a *attempt) checkClaim(claim *v1alpha1.BucketClaim) error {
	name := a.Object.Spec.BucketClaimName
	switch {
	case claim == nil:
		return reasons.Waiting(v1alpha2.ReasonBucketClaimNotFound, "BucketClaim %q does not exist", name)
	case !claim.DeletionTimestamp.IsZero():
		return reasons.Waiting(v1alpha2.ReasonBucketClaimDeleting, "BucketClaim %q is being deleted", name)
	case claim.Status.BucketName == "" || !claim.Status.BucketReady:
		return reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "BucketClaim %q is not ready yet", name)
	}
	return nil
}

// checkBucket checks that access to a Bucket can be granted.
func (a *attempt) checkBucket(bucket *v1alpha1.Bucket) error {
	switch {
	case !a.driver.Serves(bucket.Spec.DriverName):
		return reasons.Invalid(v1alpha2.ReasonDriverMismatch, "Bucket %q is of driver %s, but BucketAccessClass %q is of driver %s",
			bucket.Name, bucket.Spec.DriverName, a.Object.Spec.BucketAccessClassName, a.driver.Name())
	case !a.options.Namespaces.HasClaim(bucket.Spec.BucketClaim):
		return reasons.Invalid(v1alpha2.ReasonBindingConflict, "Bucket %q belongs to a BucketClaim of namespace %q",
			bucket.Name, bucket.Spec.BucketClaim.Namespace)
	case !bucket.DeletionTimestamp.IsZero():
		return reasons.Waiting(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	case !isUsable(bucket):
		return reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "Bucket %q is not ready yet", bucket.Name)
	}
	return nil
}

func isUsable(bucket *v1alpha1.Bucket) bool {
	return bucket.Status.BucketReady && bucket.Status.BucketID != "" && bucket.DeletionTimestamp.IsZero()
}
