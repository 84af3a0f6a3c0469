package bucketaccess

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/bucketinfo"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

// grant lets the driver grant the access, and writes its answer. It is repeated when the Secret was
// edited or deleted; the call is idempotent.
func (a *attempt) grant(ctx context.Context) error {
	return a.line.Call(a.Object, func() error {
		// The cache may not show yet that the access is being deleted, or its account.
		if err := a.Reload(ctx); err != nil {
			return err
		}
		if !a.Object.DeletionTimestamp.IsZero() {
			a.Requeue()
			return cosireconcile.ErrDone
		}
		isNew := !isProtected(a.Object)
		// During this access's turn, no other access releases the Bucket.
		if err := a.protect(ctx); err != nil || a.upToDate {
			return err
		}
		if isNew {
			// A kube-apiserver that deletes an object without finalizers ignores one that is added
			// after it has read the object. An account would leak.
			if err := a.Reload(ctx); err != nil {
				return err
			}
		}
		return a.grantInTurn(ctx)
	}, driver.Turns(a.bucket.Name, a.bucket.Status.BucketID)...)
}

// protect writes the data for the revocation, and the finalizers of access and Bucket, before every
// call to the driver: an access that vanished after the driver had created an account would leak
// it, and without the Bucket nothing could be revoked.
func (a *attempt) protect(ctx context.Context) error {
	bucket, err := a.liveBucket(ctx, a.bucket.Name)
	switch {
	case err != nil:
		return err
	case bucket == nil:
		return reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "Bucket %q does not exist", a.bucket.Name)
	}
	if err := a.checkBucket(bucket); err != nil {
		return err
	}
	if err := a.checkLive(ctx); err != nil {
		return err
	}
	a.bucket = bucket
	if err := a.writeRecord(ctx); err != nil {
		return err
	}
	return a.keepBucket(ctx, bucket)
}

// keepBucket writes the finalizer that keeps a Bucket for its accesses. One that is being deleted can get none.
func (a *attempt) keepBucket(ctx context.Context, bucket *v1alpha1.Bucket) error {
	if isAccessed(bucket) || !bucket.DeletionTimestamp.IsZero() {
		return nil
	}
	stored := bucket.DeepCopy()
	controllerutil.AddFinalizer(bucket, v1alpha1.BucketAccessBucketFinalizer)
	if err := a.live.Patch(ctx, bucket, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("write metadata of Bucket %s: %w", bucket.Name, err)
	}
	return nil
}

// checkLive prevents a grant for a claim whose deletion the cache does not show yet, and by a class
// that is not that any more.
func (a *attempt) checkLive(ctx context.Context) error {
	if a.upToDate {
		return nil
	}
	if err := cosireconcile.ConfirmCurrent(ctx, a.live, a.class); err != nil {
		return err
	}
	claim, err := liveObject[v1alpha1.BucketClaim](ctx, a, a.claimKey())
	if err != nil {
		return err
	}
	return a.checkClaim(claim)
}

func (a *attempt) writeRecord(ctx context.Context) error {
	wanted := &record{DriverName: a.driver.Name(), BucketName: a.bucket.Name, BucketID: a.bucket.Status.BucketID}
	if before := recordOf(a.Object); before != nil {
		wanted.FormerAccounts, wanted.AuthenticationType = before.FormerAccounts, before.AuthenticationType
	}
	if a.class != nil {
		wanted.AuthenticationType = a.class.AuthenticationType
	}
	return a.patch(ctx, wanted)
}

func (a *attempt) patch(ctx context.Context, wanted *record) error {
	var failed error
	err := a.PatchMetadata(ctx, func(access *v1alpha1.BucketAccess) {
		controllerutil.AddFinalizer(access, v1alpha1.BucketAccessFinalizer)
		failed = wanted.writeTo(access)
	})
	if failed != nil {
		return failed
	}
	return err
}

func (a *attempt) grantInTurn(ctx context.Context) error {
	var granted *driver.Grant
	request := a.request(a.bucket.Status.BucketID, a.class.AuthenticationType, a.class.Parameters)
	err := a.rejections.Once(a.driver.Conn, a.Object, request, func() (err error) {
		granted, err = a.driver.GrantBucketAccess(ctx, request)
		return connection.ReasonFor(err)
	})
	if err != nil {
		return err
	}
	// The account is persisted before anything else can fail.
	if err := a.saveAccount(ctx, unsavedAccount{a.Object.UID, a.bucket.Name, request.BucketID, granted.AccountID}); err != nil {
		return err
	}
	info, err := a.render(granted)
	if err != nil {
		return err
	}
	if err := a.writeSecret(ctx, info); err != nil {
		return err
	}
	a.Object.Status.AccessGranted = true
	a.EventOnSave(v1alpha2.ReasonProvisioned, fmt.Sprintf("driver %s has granted access", a.driver.Name()))
	return nil
}

func (a *attempt) render(granted *driver.Grant) ([]byte, error) {
	access := bucketinfo.Access{
		Name: v1alpha1.BucketInfoName(a.Object.UID), Bucket: a.bucket.Name,
		Protocol: a.Object.Spec.Protocol, Authentication: a.class.AuthenticationType, Credentials: granted.Credentials,
		S3Endpoint: a.options.S3Endpoint, S3Region: a.options.S3Region,
	}
	info, served, err := access.Render()
	if err != nil {
		return nil, connection.InvalidResponse("the answer to DriverGrantBucketAccess is invalid: %v", err)
	}
	if wanted, _ := access.Protocol.Canonical(); (wanted == v1alpha1.ProtocolS3 || wanted == v1alpha1.ProtocolAzure) && wanted != served {
		return info, a.Tolerate(v1alpha2.ReasonInvalidDriverResponse,
			fmt.Sprintf("spec.protocol is %q, but the driver returned credentials for %s only", access.Protocol, served), "the Secret has those")
	}
	return info, nil
}

func (a *attempt) request(bucketID string, authentication v1alpha1.AuthenticationType, parameters map[string]string) driver.Access {
	return driver.Access{
		BucketID: bucketID, Name: v1alpha1.AccountNameForAccess(a.Object.UID), Authentication: authentication, Parameters: parameters,
	}
}

// saveAccount persists the account. An earlier one is kept to be revoked, because its credentials
// stay valid until then.
func (a *attempt) saveAccount(ctx context.Context, created unsavedAccount) error {
	key, id := client.ObjectKeyFromObject(a.Object), created.account
	a.unsaved.add(key, created)
	former := a.Object.Status.AccountID
	if found := recordOf(a.Object); found != nil && former != "" && former != id && !slices.Contains(found.FormerAccounts, former) {
		found.FormerAccounts = append(found.FormerAccounts, former)
		if err := a.patch(ctx, found); err != nil {
			return err
		}
	}
	a.Object.Status.AccountID = id
	if err := a.SaveStatus(ctx); err != nil {
		return err
	}
	a.unsaved.remove(key, func(saved unsavedAccount) bool { return saved.access == created.access })
	return nil
}
