package bucketaccess

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestRevoke(t *testing.T) {
	t.Parallel()
	revoked := phasetest.Outcome{Writes: []string{revokes}, Events: []string{recordsRevoked}}
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) {
			s.hasAccess(granted, leaving, unready)
			s.driver.Fail("DriverRevokeBucketAccess", code, "no")
		}
	}
	retries := func(code string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: []string{revokes + ": " + code, statusPatch}, Conditions: []string{"ProvisionFailed=True DriverError"},
			Events: []string{"Warning FailedRevokeAccess of BucketAccess app"}, Err: "Failed DriverError", Requeue: true,
		}
	}
	runTable(t, []phaseCase{
		{
			Name: "granted", Reason: "the credentials must not stay valid",
			Given: func(s *scene) { s.hasAccess(granted, leaving, unready) }, Want: revoked,
		},
		{
			Name: "account that was never granted", Reason: "the driver may have created it before a crash",
			Given: func(s *scene) { s.hasAccess(identified, leaving) }, Want: revoked,
		},
		{Name: "no account", Reason: "nothing was ever granted", Given: func(s *scene) { s.hasAccess(leaving) }},
		{
			Name: "two buckets", Reason: "all access of the account is revoked",
			Given: func(s *scene) { s.hasAccess(granted, s.alsoTo("videos"), leaving, unready) },
			Want: phasetest.Outcome{
				Writes: []string{"call DriverRevokeBucketAccess acc (id-photos, id-videos)"}, Events: []string{recordsRevoked},
			},
		},
		{
			Name: "label that the cache does not show", Reason: "it does not matter",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.Behind(func() { s.Label(s.access) })
			},
			Want: revoked,
		},
		{
			Name: "cleaned up, which the cache does not show", Reason: "the access is the controller's by now",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.Behind(func() { s.Modify(s.access, func() { cleanedUp(s.access) }) })
			},
			Want: phasetest.Outcome{Err: "done"},
		},
		{
			Name: "created again, which the cache does not show", Reason: "the account may be the new one's",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.Behind(func() { s.ForceRemove(s.access); s.hasAccess(granted) })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "gone, which the cache does not show", Reason: "the controller has released it",
			Given: func(s *scene) { s.hasAccess(granted, leaving, unready); s.Behind(func() { s.ForceRemove(s.access) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "API server fails", Reason: "nothing is revoked on the word of the cache",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.Reject("get bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(),
		},
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retries("Unavailable")},
		{
			Name: "driver rejects the account", Reason: "a revocation is never given up: the credentials would stay valid",
			Given: fails(codes.InvalidArgument), Want: retries("InvalidArgument"),
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { s.hasAccess(granted, leaving, unready); s.busy = []string{s.Name("id-photos")} },
			Want:  phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight, no account", Reason: "there is no call to wait for",
			Given: func(s *scene) { s.hasAccess(leaving); s.busy = []string{s.Name("id-photos")} },
		},
	}, (*attempt).revoke)
}
