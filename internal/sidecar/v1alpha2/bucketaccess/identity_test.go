package bucketaccess

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestGenerateID(t *testing.T) {
	t.Parallel()
	const method = "DriverGenerateBucketAccessId"
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasAccess(); s.driver.Fail(method, code, "no") }
	}
	answers := func(id string, edits ...func(*v1alpha2.BucketAccess)) func(*scene) {
		return func(s *scene) {
			s.hasAccess()
			s.driver.Answer(method, &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: id})
			if len(edits) > 0 {
				phasetest.Make(s.Case, s.newAccess("other"), append([]func(*v1alpha2.BucketAccess){identified}, edits...)...)
			}
		}
	}
	hasAccount := phasetest.Outcome{Writes: []string{generates, statusPatch}, Changes: []string{"BucketAccess app: status.accountID=acc"}}
	isRejected := rejected(v1alpha2.ReasonInvalidDriverResponse, generates)
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "the account is persisted before the driver creates it",
			Given: func(s *scene) { s.hasAccess() },
			Want: phasetest.Outcome{
				Writes: []string{generates, statusPatch}, Changes: []string{"BucketAccess app: status.accountID=id-ba-uid-app"},
			},
		},
		{Name: "account", Reason: "an access keeps its account", Given: func(s *scene) { s.hasAccess(identified) }},
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retried(generates + ": Unavailable")},
		{
			Name: "driver rejects the parameters", Reason: "KEP: InvalidArgument is final",
			Given: fails(codes.InvalidArgument), Want: rejected(v1alpha2.ReasonDriverRefused, generates+": InvalidArgument"),
		},
		{
			Name: "too many buckets for the driver", Reason: "KEP: OutOfRange is final",
			Given: fails(codes.OutOfRange), Want: rejected(v1alpha2.ReasonDriverRefused, generates+": OutOfRange"),
		},
		{Name: "no account", Reason: "nothing can be granted to it", Given: answers(""), Want: isRejected},
		{Name: "account with a space", Reason: "the API server would reject it", Given: answers("a b"), Want: isRejected},
		{
			Name: "account of another access", Reason: "the revocation of one would take the other's access away",
			Given: answers("acc", granted), Want: isRejected,
		},
		{
			Name: "account of an access that is being deleted", Reason: "its account is not revoked yet",
			Given: answers("acc", leaving), Want: isRejected,
		},
		{
			Name: "account of an access that was cleaned up", Reason: "its account is revoked",
			Given: answers("acc", cleanedUp, leaving), Want: hasAccount,
		},
		{
			Name: "account of another driver's access", Reason: "it means another account to that driver",
			Given: answers("acc", ofOtherDriver), Want: hasAccount,
		},
		{
			Name: "cache fails", Reason: "another access may have the account",
			Given: func(s *scene) { s.hasAccess(); s.FailReads(&v1alpha2.BucketAccessList{}) },
			Want:  phasetest.Retried("Unreadable", generates),
		},
		{
			Name: "changed meanwhile", Reason: "the conditions are a list",
			Given: func(s *scene) { s.hasAccess(); s.Before("call "+method, func() { s.Label(s.access) }) },
			Want:  phasetest.Retried("Conflict", generates, statusPatch+": Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the new one must not inherit the account",
			Given: func(s *scene) {
				s.hasAccess()
				old := s.access
				s.Behind(func() { s.ForceRemove(old); s.hasAccess(); s.access = old })
			},
			Want: phasetest.Retried("Conflict", generates, statusPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing was created, so nothing leaks",
			Given: func(s *scene) { s.hasAccess(); s.Behind(func() { s.ForceRemove(s.access) }) },
			Want:  phasetest.Retried("NotFound", generates, statusPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "the driver is not asked to create what nothing knows of",
			Given: func(s *scene) { s.hasAccess(); s.Reject("patch bucketaccesses/status", http.StatusInternalServerError) },
			Want:  failed(generates, statusPatch+phasetest.ServerFails),
		},
	}, (*attempt).generateID)
}
