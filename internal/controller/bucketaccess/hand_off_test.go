package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// accessedPhotos is what the hand-off of an access to the claim "photos" writes.
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
			name: "one claim", reason: "the status has all that the sidecar needs, in one write",
			given: has(asIs, asIs),
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{accessed, keyAuth, driverName, parameter}, Conditions: conditions,
			},
		},
		{
			name: "class without parameters", reason: "the sidecar sends none",
			given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketAccessClass) { class.Spec.Parameters = nil })
				s.hasAccess()
				s.hasBucket(s.hasClaim("photos"))
			},
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{accessed, keyAuth, driverName}, Conditions: conditions,
			},
		},
		{
			name: "two claims", reason: "the order is that of the spec",
			given: func(s *scene) {
				s.hasClass()
				s.hasBucket(s.hasClaim("videos"))
				s.hasBucket(s.hasClaim("photos"))
				s.hasAccess(alsoTo("videos"))
			},
			want: phasetest.Outcome{
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
			name: "readyToUse edited", reason: "no credentials exist yet",
			given: func(s *scene) {
				has(asIs, asIs)(s)
				s.ModifyStatus(s.access, func() { s.access.Status.ReadyToUse = true })
			},
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: conditions,
				Changes: []string{accessed, keyAuth, driverName, parameter, "BucketAccess app: status.readyToUse=false"},
			},
		},
		{
			name: "access changed meanwhile", reason: "the conditions are a list, and the fields are immutable",
			given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Before("patch bucketaccesses/status", func() { s.label(s.access) })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			name: "access created again meanwhile", reason: "the new one must not inherit what its spec does not say",
			given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Behind(func() { s.ForceRemove(s.access); s.hasAccess() })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			name: "API server fails", reason: "it is tried again",
			given: func(s *scene) {
				has(asIs, asIs)(s)
				s.Reject("patch bucketaccesses/status", http.StatusInternalServerError)
			},
			want: failed(statusPatch + ": Internal Server Error"),
		},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets, (*attempt).handOff)
}
