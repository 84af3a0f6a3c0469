package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
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
	bound := phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound, unready}, Events: []string{recordsBound}}
	runTable(t, []phaseCase{
		{
			Name: "no Bucket", Reason: "it gets all that its deletion needs, and no finalizer; then the claim names it",
			Given: func(s *scene) { s.hasClass(); s.hasClaim() },
			Want: phasetest.Outcome{
				Writes: []string{create, statusPatch},
				Changes: []string{
					"Bucket bucket-uid-photos: metadata.labels.objectstorage.k8s.io/driver=driver.test",
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
				Events: []string{recordsBound},
			},
		},
		{
			Name: "Bucket of an interrupted reconcile", Reason: "it was created before a crash, and is used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket() },
			Want:  bound,
		},
		{
			Name: "Bucket that the cache does not have", Reason: "the API server has it, and it is used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket() }) },
			Want:  with(bound, create+": Conflict", statusPatch),
		},
		{
			Name: "Bucket that the cache does not have, of another claim", Reason: "it is not used",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Behind(func() { s.hasBucket(ofOther) }) },
			Want:  with(found("Invalid", v1alpha2.ReasonBindingConflict), create+": Conflict"),
		},
		{
			Name: "Bucket that vanishes again", Reason: "the next reconcile creates another one",
			Given: func(s *scene) {
				s.hasClass()
				s.hasClaim()
				s.Behind(func() { s.hasBucket() })
				s.Before("get buckets", func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Retried("NotFound", create+": Conflict"),
		},
		{
			Name: "Bucket of another claim", Reason: "the name is reserved, and the Bucket is not touched",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.hasBucket(ofOther) },
			Want:  found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "no class", Reason: "the claim waits for it",
			Given: func(s *scene) { s.hasClaim() },
			Want:  waiting("Waiting", v1alpha2.ReasonBucketClassNotFound),
		},
		{
			Name: "class without a driver", Reason: "the API server does not check it",
			Given: func(s *scene) { s.hasClass(func(class *v1alpha1.BucketClass) { class.DriverName = "" }); s.hasClaim() },
			Want:  found("Invalid", v1alpha2.ReasonInvalidSpec),
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
			Want:  with(found("Invalid", v1alpha2.ReasonInvalidSpec), create+": Unprocessable Entity"),
		},
		{
			Name: "cache fails to find the Bucket", Reason: "no second Bucket is created",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha1.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "cache fails to find the class", Reason: "the user is not told that it does not exist",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.FailReads(&v1alpha1.BucketClass{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails to create", Reason: "it is tried again",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.Reject("create buckets", http.StatusInternalServerError) },
			Want:  failed(create + phasetest.ServerFails),
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
