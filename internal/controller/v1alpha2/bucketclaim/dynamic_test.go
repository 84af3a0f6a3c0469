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
	recordsBound = "Normal Bound of BucketClaim photos"
)

// KEP: FLOW-CREATE-0, FLOW-CREATE-2.4, COND-CLAIM-4, REASON-14
// Known failure: E09
func TestBindNew(t *testing.T) {
	t.Parallel()
	waiting := phasetest.Outcome{
		Writes: []string{statusPatch}, Err: "Waiting BucketClassNotFound",
		Conditions: []string{"Provisioned=Unknown BucketClassNotFound", "ResourcesValidated=Unknown BucketClassNotFound"},
		Events:     []string{"Normal BucketClassNotFound of BucketClaim photos"},
	}
	runTable(t, []phaseCase{
		{
			Name: "no Bucket", Reason: "it gets all that its deletion needs, and no finalizer; then the claim names it",
			Given: func(s *scene) { s.hasClass(); s.hasClaim() },
			Want: phasetest.Outcome{
				Writes: []string{createBucket, statusPatch},
				Changes: []string{
					"Bucket bc-uid-photos: metadata.labels.objectstorage.k8s.io/driver=driver.test",
					"Bucket bc-uid-photos: spec.bucketClaimRef.name=photos",
					"Bucket bc-uid-photos: spec.bucketClaimRef.namespace=ns",
					"Bucket bc-uid-photos: spec.bucketClaimRef.uid=uid-photos",
					"Bucket bc-uid-photos: spec.deletionPolicy=Delete",
					"Bucket bc-uid-photos: spec.driverName=driver.test",
					"Bucket bc-uid-photos: spec.parameters.tier=gold",
					`Bucket bc-uid-photos: spec.protocols=["S3"]`,
					isBound,
				},
				Events: []string{recordsBound},
			},
		},
		{
			Name: "Bucket of an interrupted reconcile", Reason: "it was created before a crash, and is used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket() },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{recordsBound}},
		},
		{
			Name: "Bucket that the cache does not have", Reason: "the API server has it, and it is used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket() }) },
			Want: phasetest.Outcome{
				Writes: []string{createBucket + ": Conflict", statusPatch}, Changes: []string{isBound}, Events: []string{recordsBound},
			},
		},
		{
			Name: "Bucket that the cache does not have, of another claim", Reason: "it is not used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket(ofOther) }) },
			Want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonBindingConflict)
				o.Writes = []string{createBucket + ": Conflict", statusPatch}
				return o
			}(),
		},
		{
			Name: "Bucket that vanishes again", Reason: "the next reconcile creates another one",
			Given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Behind(func() { s.hasBucket() })
				s.Before("get buckets", func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Retried("NotFound", createBucket+": Conflict"),
		},
		{
			Name: "Bucket of another claim", Reason: "the name is reserved, and the Bucket is not touched",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(ofOther) },
			Want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket without a UID", Reason: "the controller has not created it",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(unbound) },
			Want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "no class", Reason: "the claim waits for it",
			Given: func(s *scene) { s.hasClaim() },
			Want:  waiting,
		},
		{
			Name: "class with an impossible driver name", Reason: "no sidecar can have that name",
			Given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketClass) { class.Spec.DriverName = "3Par.example" })
				s.hasClaim()
			},
			Want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "bound meanwhile", Reason: "a second Bucket would hide the loss of the first",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(s.bind) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "deleted meanwhile", Reason: "its Bucket would outlive it",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.Remove(s.claim) }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the Bucket would be of a claim that is gone",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.replaceClaim() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "the Bucket would be of a claim that is gone",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "class created again meanwhile", Reason: "the Bucket would have the contents of a class that is gone",
			Given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Behind(func() { s.ForceRemove(s.class); s.hasClass() })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "class gone meanwhile", Reason: "the claim waits for it once the cache shows that",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.ForceRemove(s.class) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "Bucket that the API server rejects", Reason: "only another class helps",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusUnprocessableEntity) },
			Want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonInvalidSpec)
				o.Writes = []string{createBucket + ": Unprocessable Entity", statusPatch}
				return o
			}(),
		},
		{
			Name: "cache fails to find the Bucket", Reason: "no second Bucket is created",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha2.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "cache fails to find the class", Reason: "the user is not told that it does not exist",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha2.BucketClass{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails to create", Reason: "it is tried again, and the user is told nothing wrong",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusInternalServerError) },
			Want:  failed(createBucket + phasetest.ServerFails),
		},
		{
			Name: "API server fails to confirm", Reason: "no Bucket is created for a claim that may have one",
			Given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(),
		},
	}, (*attempt).bind)
}
