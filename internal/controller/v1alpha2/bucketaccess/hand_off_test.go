package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const accessedPhotos = `BucketAccess app: status.accessedBuckets=[` +
	`{"bucketClaimName":"photos","bucketID":"id-of-photos","bucketName":"bc-uid-photos"}]`

func TestHandOff(t *testing.T) {
	t.Parallel()
	const (
		accessed   = accessedPhotos
		keyAuth    = "BucketAccess app: status.authenticationType=Key"
		driverName = "BucketAccess app: status.driverName=driver.test"
		parameter  = "BucketAccess app: status.parameters.role=user"
	)
	conditions := []string{"Provisioned=Unknown WaitingForDriver", "ResourcesValidated=True Validated"}
	runTable(t, []phaseCase{
		{
			Name: "one claim", Reason: "the status has all that the sidecar needs, in one write",
			Given: has(asIs, asIs),
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{accessed, keyAuth, driverName, parameter}, Conditions: conditions,
			},
		},
		{
			Name: "class without parameters", Reason: "the sidecar sends none",
			Given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketAccessClass) { class.Spec.Parameters = nil })
				s.hasAccess()
				s.hasBucket(s.hasClaim("photos"))
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{accessed, keyAuth, driverName}, Conditions: conditions,
			},
		},
		{
			Name: "two claims", Reason: "the order follows the spec",
			Given: func(s *scene) {
				s.hasClass()
				s.hasBucket(s.hasClaim("videos"))
				s.hasBucket(s.hasClaim("photos"))
				s.hasAccess(alsoTo("videos"))
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch},
				Changes: []string{
					`BucketAccess app: status.accessedBuckets=[` +
						`{"bucketClaimName":"photos","bucketID":"id-of-photos","bucketName":"bc-uid-photos"},` +
						`{"bucketClaimName":"videos","bucketID":"id-of-videos","bucketName":"bc-uid-videos"}]`,
					keyAuth, driverName, parameter,
				},
				Conditions: conditions,
			},
		},
		{
			Name: "readyToUse edited", Reason: "no credentials exist yet",
			Given: func(s *scene) {
				has(asIs, asIs)(s)
				s.ModifyStatus(s.access, func() { s.access.Status.ReadyToUse = true })
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: conditions,
				Changes: []string{accessed, keyAuth, driverName, parameter, "BucketAccess app: status.readyToUse=false"},
			},
		},
		{
			Name: "access changed meanwhile", Reason: "the conditions are a list, and the fields are immutable",
			Given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Before("patch bucketaccesses/status", func() { s.Label(s.access) })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			Name: "access created again meanwhile", Reason: "the new access must not inherit fields that its spec lacks",
			Given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Behind(func() { s.ForceRemove(s.access); s.hasAccess() })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			Name: "class created again meanwhile", Reason: "the access would be granted by a class that is gone",
			Given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Behind(func() { s.ForceRemove(s.class); s.hasClass() })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Reject("patch bucketaccesses/status", http.StatusInternalServerError)
			},
			Want: failed(statusPatch + phasetest.ServerFails),
		},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets, (*attempt).confirmClass, (*attempt).handOff)
}
