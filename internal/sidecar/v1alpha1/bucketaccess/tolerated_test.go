package bucketaccess

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestTolerated: input that v0.2 accepts is granted, with a Warning about the problem.
func TestTolerated(t *testing.T) {
	t.Parallel()
	has := func(authentication v1alpha1.AuthenticationType, protocol v1alpha1.Protocol) func(*scene) {
		return func(s *scene) {
			s.hasClaim()
			s.hasBucket(accessed)
			s.hasClass(func(class *v1alpha1.BucketAccessClass) { class.AuthenticationType = authentication })
			s.hasAccess(func(access *v1alpha1.BucketAccess) { access.Spec.Protocol = protocol })
		}
	}
	returnsAzure := func(s *scene) {
		s.driver.Answer("DriverGrantBucketAccess", &cosiv1alpha1.DriverGrantBucketAccessResponse{
			AccountId: "acc", Credentials: map[string]*cosiv1alpha1.CredentialDetails{"azure": {Secrets: map[string]string{"accessToken": "sv=1"}}},
		})
	}
	const warns = "Warning Tolerated of BucketAccess app"
	granted := phasetest.Outcome{
		Writes: []string{accessPatch, grants, statusPatch, creates, statusPatch}, Events: []string{warns, recordsReady},
	}
	late := granted
	late.Events = []string{recordsReady, warns}
	plain := granted
	plain.Events = []string{recordsReady}
	runTableWithoutChanges(t, []phaseCase{
		{Name: "as the API has it", Reason: "nothing is odd", Given: has("Key", "S3"), Want: plain},
		{Name: "no protocol", Reason: "it is optional", Given: has("Key", ""), Want: plain},
		{Name: "protocol in lower case", Reason: "most published manifests have it", Given: has("Key", "s3"), Want: granted},
		{Name: "GCS", Reason: "the driver has keys of S3 for it", Given: has("Key", "GCS"), Want: granted},
		{Name: "protocol that does not exist", Reason: "v0.2 compares it with nothing", Given: has("Key", "swift"), Want: granted},
		{Name: "KEY", Reason: "the driver is told that it is unknown", Given: has("KEY", "S3"), Want: granted},
		{
			Name: "KEY, and a driver that rejects it", Reason: "the Warning has the cause, which the driver cannot know",
			Given: func(s *scene) {
				has("KEY", "S3")(s)
				s.driver.Fail("DriverGrantBucketAccess", codes.InvalidArgument, "no authentication type")
			},
			Want: phasetest.Outcome{
				Writes: []string{accessPatch, grants + ": InvalidArgument"},
				Events: []string{"Warning FailedGrantAccess of BucketAccess app", warns}, Err: "Rejected DriverRefused",
			},
		},
		{
			Name: "driver returns another protocol", Reason: "v0.2 puts what it gets into the Secret",
			Given: func(s *scene) { has("Key", "S3")(s); returnsAzure(s) }, Want: late,
		},
		{
			Name: "driver returns another protocol, strict", Reason: "the application cannot use it",
			Given: func(s *scene) { s.strict = true; has("Key", "S3")(s); returnsAzure(s) },
			Want: phasetest.Outcome{
				Writes: []string{accessPatch, grants, statusPatch},
				Events: []string{"Warning FailedGrantAccess of BucketAccess app"}, Err: "Invalid InvalidDriverResponse",
			},
		},
	})
}
