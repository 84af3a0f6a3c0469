package bucketclaim

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// checkSpec rejects a claim without a class and without an existing Bucket, which the API server
// accepts in v1alpha1. A bound claim keeps its Bucket. If a claim has both, the existing Bucket
// counts, as in v0.2.
func (a *attempt) checkSpec(context.Context) error {
	spec := &a.Object.Spec
	switch {
	case a.Object.Status.BucketName != "":
		return nil
	case spec.BucketClassName == "" && spec.ExistingBucketName == "":
		return reasons.Invalid(v1alpha2.ReasonInvalidSpec,
			"spec has neither bucketClassName, for a new bucket, nor existingBucketName: set one of them")
	case spec.BucketClassName != "" && spec.ExistingBucketName != "":
		err := a.Tolerate(v1alpha2.ReasonInvalidSpec,
			"spec has both bucketClassName, for a new bucket, and existingBucketName: remove one of them", "existingBucketName counts")
		if err != nil {
			return err
		}
	}
	return a.checkSpelling()
}

// checkSpelling finds misspelt protocols of a claim.
func (a *attempt) checkSpelling() error {
	for _, written := range a.Object.Spec.Protocols {
		meant, known := written.Canonical()
		problem := fmt.Sprintf("spec.protocols has %q, which is none of S3, Azure and GCP", written)
		follows := "the driver decides which protocols it serves"
		switch {
		case meant == written:
			continue
		case known:
			problem, follows = fmt.Sprintf("spec.protocols has %q, which is not spelt %s", written, meant), "letter case does not count"
		}
		if err := a.Tolerate(v1alpha2.ReasonProtocolNotSupported, problem, follows); err != nil {
			return err
		}
	}
	return nil
}

// bind gives the claim its Bucket: the one that it is bound to, the existing one that it names, or
// a new one. The claim names the Bucket once the Bucket refers to the claim.
func (a *attempt) bind(ctx context.Context) (err error) {
	claim, bound := a.Object, a.Object.Status.BucketName
	switch {
	case bound != "":
		a.bucket, err = a.boundBucket(ctx, bound)
	case claim.Spec.ExistingBucketName != "":
		a.bucket, err = a.bindExisting(ctx, claim.Spec.ExistingBucketName)
	default:
		a.bucket, err = a.bindNew(ctx, v1alpha1.BucketNameForClaim(claim.UID))
	}
	if err == nil && bound == "" {
		claim.Status.BucketName = a.bucket.Name
		a.EventOnSave(v1alpha2.ReasonBound, fmt.Sprintf("bound to Bucket %q", a.bucket.Name))
	}
	return err
}

// boundBucket returns the Bucket that the claim is already bound to. A missing one is not created
// again: that would hide the loss, and would give the claim an empty bucket while the old one still
// has its data. A Bucket that an administrator has created again is bound again, if it exists for
// its data or for this claim.
func (a *attempt) boundBucket(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	claim := a.Object
	bucket, err := a.findConfirmed(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Lost(v1alpha2.ReasonBucketLost,
			"Bucket %q, which this claim is bound to, does not exist any more", name)
	case isBoundTo(bucket, claim):
		return bucket, nil
	case isFree(bucket, claim) && (claim.Spec.ExistingBucketName == name || isReserved(bucket)):
		return a.adopt(ctx, bucket)
	default:
		return nil, reasons.Lost(v1alpha2.ReasonBindingConflict,
			"Bucket %q, which this claim is bound to, refers to %s", name, owner(bucket))
	}
}

// syncStatus copies the Bucket's state for the user of the claim, because only administrators can
// read the Bucket.
func (a *attempt) syncStatus(context.Context) error {
	if !a.bucket.DeletionTimestamp.IsZero() {
		return reasons.Invalid(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", a.bucket.Name)
	}
	if lacking := lackingProtocols(a.Object, a.bucket); lacking != "" && a.Strict {
		return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported, "%s", lacking)
	}
	ready := a.bucket.Status.BucketReady
	if ready && !a.Object.Status.BucketReady {
		a.EventOnSave(v1alpha2.ReasonProvisioned, fmt.Sprintf("Bucket %q is ready", a.bucket.Name))
	}
	a.Object.Status.BucketReady = ready
	return nil
}
