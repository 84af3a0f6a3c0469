package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestBindNew(t *testing.T) {
	t.Parallel()
	const (
		create  = "create buckets bucket-uid-photos"
		isBound = "BucketClaim photos: status.bucketName=bucket-uid-photos"
	)
	with := func(o phasetest.Outcome, writes ...string) phasetest.Outcome {
		o.Writes = writes
		return o
	}
	bound := phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound, unready}, Events: []string{saysBound}}
	runTable(t, []phaseCase{
		{
			name: "no Bucket", reason: "it gets all that its deletion needs, and no finalizer; then the claim names it",
			given: func(s *scene) { s.hasClass(); s.hasClaim() },
			want: phasetest.Outcome{
				Writes: []string{create, statusPatch},
				Changes: []string{
					"Bucket bucket-uid-photos: spec.bucketClaim.apiVersion=objectstorage.k8s.io/v1alpha1",
					"Bucket bucket-uid-photos: spec.bucketClaim.kind=BucketClaim",
					"Bucket bucket-uid-photos: spec.bucketClaim.name=photos",
					"Bucket bucket-uid-photos: spec.bucketClaim.namespace=ns",
					"Bucket bucket-uid-photos: spec.bucketClaim.uid=uid-photos",
					"Bucket bucket-uid-photos: spec.bucketClassName=gold",
					"Bucket bucket-uid-photos: spec.deletionPolicy=Delete",
					"Bucket bucket-uid-photos: spec.driverName=driver.test",
					"Bucket bucket-uid-photos: spec.parameters.tier=gold",
					`Bucket bucket-uid-photos: spec.protocols=["S3"]`,
					isBound, unready,
				},
				Events: []string{saysBound},
			},
		},
		{
			name: "Bucket of an interrupted reconcile", reason: "it was created before a crash, and is used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket() },
			want:  bound,
		},
		{
			name: "Bucket that the cache does not have", reason: "the API server has it, and it is used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket() }) },
			want:  with(bound, create+": Conflict", statusPatch),
		},
		{
			name: "Bucket that the cache does not have, of another claim", reason: "it is not used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket(ofOther) }) },
			want:  with(found("Invalid", v1alpha2.ReasonBindingConflict), create+": Conflict"),
		},
		{
			name: "Bucket that vanishes again", reason: "the next reconcile creates another one",
			given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Behind(func() { s.hasBucket() })
				s.Before("get buckets", func() { s.Remove(s.bucket) })
			},
			want: phasetest.Retried("NotFound", create+": Conflict"),
		},
		{
			name: "Bucket of another claim", reason: "the name is reserved, and the Bucket is not touched",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(ofOther) },
			want:  found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "no class", reason: "the claim waits for it",
			given: func(s *scene) { s.hasClaim() },
			want:  waiting("Waiting", v1alpha2.ReasonBucketClassNotFound),
		},
		{
			name: "class without a driver", reason: "the API server does not check it",
			given: func(s *scene) { s.hasClass(func(class *v1alpha1.BucketClass) { class.DriverName = "" }); s.hasClaim() },
			want:  found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{
			name: "bound meanwhile", reason: "a second Bucket would hide the loss of the first",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(s.bind) },
			want:  phasetest.Retried("Conflict"),
		},
		{
			name: "deleted meanwhile", reason: "its Bucket would outlive it",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.Remove(s.claim) }) },
			want:  phasetest.Retried("Conflict"),
		},
		{
			name: "created again meanwhile", reason: "the Bucket would be of a claim that is gone",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.replaceClaim() }) },
			want:  phasetest.Retried("Conflict"),
		},
		{
			name: "gone meanwhile", reason: "the Bucket would be of a claim that is gone",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.ForceRemove(s.claim) }) },
			want:  phasetest.Retried("NotFound"),
		},
		{
			name: "Bucket that the API server rejects", reason: "only another class helps",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusUnprocessableEntity) },
			want:  with(found("Invalid", v1alpha2.ReasonInvalidSpec), create+": Unprocessable Entity"),
		},
		{
			name: "cache fails to find the Bucket", reason: "no second Bucket is created",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha1.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "cache fails to find the class", reason: "the user is not told that it does not exist",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha1.BucketClass{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails to create", reason: "it is tried again",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusInternalServerError) },
			want:  failed(create + serverFailure),
		},
		{
			name: "API server fails to confirm", reason: "no Bucket is created for a claim that may have one",
			given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			want: failed(),
		},
	}, (*attempt).bind)
}
