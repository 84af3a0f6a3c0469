package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const (
	createBucket = "create buckets bc-uid-photos"
	isBound      = "BucketClaim photos: status.boundBucketName=bc-uid-photos"
	saysBound    = "Normal Bound of BucketClaim photos"
)

func TestBindNew(t *testing.T) {
	t.Parallel()
	waiting := phasetest.Outcome{
		Writes: []string{statusPatch}, Err: "Waiting BucketClassNotFound",
		Conditions: []string{"Provisioned=Unknown BucketClassNotFound", "ResourcesValidated=Unknown BucketClassNotFound"},
		Events:     []string{"Normal BucketClassNotFound of BucketClaim photos"},
	}
	runTable(t, []phaseCase{
		{
			name: "no Bucket", reason: "it gets all that its deletion needs, and no finalizer; then the claim names it",
			given: func(s *scene) { s.hasClass(); s.hasClaim() },
			want: phasetest.Outcome{
				Writes: []string{createBucket, statusPatch},
				Changes: []string{
					"Bucket bc-uid-photos: spec.bucketClaimRef.name=photos",
					"Bucket bc-uid-photos: spec.bucketClaimRef.namespace=ns",
					"Bucket bc-uid-photos: spec.bucketClaimRef.uid=uid-photos",
					"Bucket bc-uid-photos: spec.deletionPolicy=Delete",
					"Bucket bc-uid-photos: spec.driverName=driver.test",
					"Bucket bc-uid-photos: spec.parameters.tier=gold",
					`Bucket bc-uid-photos: spec.protocols=["S3"]`,
					isBound,
				},
				Events: []string{saysBound},
			},
		},
		{
			name: "Bucket of an interrupted reconcile", reason: "it was created before a crash, and is used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket() },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{saysBound}},
		},
		{
			name: "Bucket that the cache does not have", reason: "the API server has it, and it is used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket() }) },
			want: phasetest.Outcome{
				Writes: []string{createBucket + ": Conflict", statusPatch}, Changes: []string{isBound}, Events: []string{saysBound},
			},
		},
		{
			name: "Bucket that the cache does not have, of another claim", reason: "it is not used",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket(ofOther) }) },
			want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonBindingConflict)
				o.Writes = []string{createBucket + ": Conflict", statusPatch}
				return o
			}(),
		},
		{
			name: "Bucket that vanishes again", reason: "the next reconcile creates another one",
			given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Behind(func() { s.hasBucket() })
				s.Before("get buckets", func() { s.Remove(s.bucket) })
			},
			want: phasetest.Retried("NotFound", createBucket+": Conflict"),
		},
		{
			name: "Bucket of another claim", reason: "the name is reserved, and the Bucket is not touched",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(ofOther) },
			want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket without a UID", reason: "the controller has not created it",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(unbound) },
			want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "no class", reason: "the claim waits for it",
			given: func(s *scene) { s.hasClaim() },
			want:  waiting,
		},
		{
			name: "class with an impossible driver name", reason: "no sidecar can have that name",
			given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketClass) { class.Spec.DriverName = "3Par.example" })
				s.hasClaim()
			},
			want: invalid(v1alpha2.ReasonInvalidSpec),
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
			want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonInvalidSpec)
				o.Writes = []string{createBucket + ": Unprocessable Entity", statusPatch}
				return o
			}(),
		},
		{
			name: "cache fails to find the Bucket", reason: "no second Bucket is created",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha2.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "cache fails to find the class", reason: "the user is not told that it does not exist",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha2.BucketClass{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails to create", reason: "it is tried again, and the user is told nothing wrong",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusInternalServerError) },
			want:  failed(createBucket + ": Internal Server Error"),
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
