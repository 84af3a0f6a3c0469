package bucket

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func isProvisioned(id string) []string {
	return []string{
		"Bucket b: status.bucketInfo.AWS_DEFAULT_REGION=" + drivertest.S3Region,
		"Bucket b: status.bucketInfo.AWS_ENDPOINT_URL=" + drivertest.S3Endpoint,
		"Bucket b: status.bucketInfo.AWS_S3_ADDRESSING_STYLE=path",
		"Bucket b: status.bucketInfo.BUCKET_NAME=" + id,
		"Bucket b: status.bucketInfo.COSI_PROTOCOL=S3",
		`Bucket b: status.protocols=["S3"]`,
		"Bucket b: status.readyToUse=true",
	}
}

func provisions(call string, changes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{call, statusPatch},
		Changes:    changes,
		Conditions: []string{"Provisioned=True Provisioned", "ResourcesValidated=True Validated", "ProvisionFailed=False DriverSucceeded"},
		Events:     []string{"Normal Provisioned of Bucket b"},
	}
}

func TestProvisionNew(t *testing.T) {
	t.Parallel()
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasBucket(identified); s.driver.Fail("DriverCreateBucket", code, "no") }
	}
	answers := func(info *cosiv1alpha2.ObjectProtocolAndBucketInfo) func(*scene) {
		return func(s *scene) {
			s.hasBucket(identified)
			s.driver.Answer("DriverCreateBucket", &cosiv1alpha2.DriverCreateBucketResponse{Protocols: info})
		}
	}
	isRejected := rejected(v1alpha2.ReasonInvalidDriverResponse, creates)
	bare, tooLong := &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}, drivertest.S3Info("b")
	tooLong.S3.Endpoint = strings.Repeat("x", 1<<15)
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "the driver creates the bucket by its ID, and the Bucket is ready",
			Given: func(s *scene) { s.hasBucket(identified) }, Want: provisions(creates, isProvisioned("id-b")...),
		},
		{Name: "provisioned", Reason: "it causes no more calls", Given: func(s *scene) { s.hasBucket(provisioned) }},
		{
			Name: "status Provisioned, without protocols", Reason: "it was edited, so the idempotent call is repeated",
			Given: func(s *scene) {
				s.hasBucket(provisioned, func(b *v1alpha2.Bucket) { b.Status.Protocols, b.Status.ReadyToUse = nil, false })
			},
			Want: phasetest.Outcome{
				Writes: []string{creates, statusPatch}, Changes: isProvisioned("id-b"), Events: []string{"Normal Provisioned of Bucket b"},
			},
		},
		{
			Name: "failed before", Reason: "the success takes the failure back",
			Given: func(s *scene) {
				s.hasBucket(identified, func(b *v1alpha2.Bucket) { statusOf(b).Conclude(failure()) })
			},
			Want: func() phasetest.Outcome {
				o := provisions(creates, isProvisioned("id-b")...)
				o.Conditions = []string{"Provisioned=True Provisioned", "ProvisionFailed=False DriverSucceeded"}
				return o
			}(),
		},
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retried(creates + ": Unavailable")},
		{
			Name: "driver without resources", Reason: "KEP: not a code of this call, so time may help",
			Given: fails(codes.ResourceExhausted), Want: retried(creates + ": ResourceExhausted"),
		},
		{
			Name: "bucket exists with other parameters", Reason: "KEP: AlreadyExists is final",
			Given: fails(codes.AlreadyExists), Want: rejected(v1alpha2.ReasonDriverRefused, creates+": AlreadyExists"),
		},
		{
			Name: "driver rejects the parameters", Reason: "KEP: InvalidArgument is final",
			Given: fails(codes.InvalidArgument), Want: rejected(v1alpha2.ReasonDriverRefused, creates+": InvalidArgument"),
		},
		{Name: "no info", Reason: "no application could use the bucket", Given: answers(nil), Want: isRejected},
		{
			Name: "info of no protocol", Reason: "no application could use the bucket",
			Given: answers(&cosiv1alpha2.ObjectProtocolAndBucketInfo{}), Want: isRejected,
		},
		{
			Name: "info of another protocol", Reason: "KEP: all protocols of the spec are required",
			Given: answers(&cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{}}), Want: isRejected,
		},
		{
			Name: "info of more than required", Reason: "KEP: the status has all protocols that the bucket supports",
			Given: answers(&cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}, Gcs: &cosiv1alpha2.GcsBucketInfo{}}),
			Want: provisions(creates,
				"Bucket b: status.bucketInfo.COSI_PROTOCOL=S3,GCS", `Bucket b: status.protocols=["S3","GCS"]`, "Bucket b: status.readyToUse=true"),
		},
		{
			Name: "info without values", Reason: "they are omitted: only an access needs them",
			Given: answers(bare),
			Want: provisions(creates,
				"Bucket b: status.bucketInfo.COSI_PROTOCOL=S3", `Bucket b: status.protocols=["S3"]`, "Bucket b: status.readyToUse=true"),
		},
		{
			Name: "info with a value that is too long", Reason: "the API server would reject the status",
			Given: answers(tooLong), Want: isRejected,
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once; nothing is written while it waits",
			Given: func(s *scene) { s.hasBucket(identified); s.busy = []string{"id-" + s.bucket.Name} },
			Want:  phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight for another bucket", Reason: "the two are independent",
			Given: func(s *scene) { s.hasBucket(identified); s.busy = []string{"other"} },
			Want:  provisions(creates, isProvisioned("id-b")...),
		},
		{
			Name: "deletion that the cache does not have", Reason: "a bucket that is created now would leak",
			Given: func(s *scene) { s.hasBucket(identified); s.Behind(func() { s.Remove(s.bucket) }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "removal that the cache does not have", Reason: "another replica has deleted its bucket",
			Given: func(s *scene) { s.hasBucket(identified); s.Behind(func() { s.ForceRemove(s.bucket) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "other Bucket of its name that the cache does not have", Reason: "it has no ID yet",
			Given: func(s *scene) { s.hasBucket(identified); s.Behind(func() { s.ForceRemove(s.bucket); s.hasBucket() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "changed meanwhile", Reason: "the conditions are a list; the idempotent call is repeated",
			Given: func(s *scene) { s.hasBucket(identified); s.Before(creates, func() { s.Label(s.bucket) }) },
			Want:  phasetest.Outcome{Writes: []string{creates, statusPatch + ": Conflict"}, Requeue: true},
		},
	}, (*attempt).provision)
}

func TestProvisionExisting(t *testing.T) {
	t.Parallel()
	const gets = "call DriverGetBucket old"
	runTable(t, []phaseCase{
		{
			Name: "existing bucket", Reason: "the driver finds it, and creates nothing; the ID becomes that of the Bucket",
			Given: func(s *scene) { s.hasBucket(s.static); s.driver.AddBucket(s.Name("old")) },
			Want:  provisions(gets, append([]string{"Bucket b: status.bucketID=old"}, isProvisioned("old")...)...),
		},
		{
			Name: "no such bucket", Reason: "KEP: an administrator may still create it",
			Given: func(s *scene) { s.hasBucket(s.static) }, Want: retried(gets + ": NotFound"),
		},
		{
			Name: "driver rejects the parameters", Reason: "KEP: InvalidArgument is final",
			Given: func(s *scene) { s.hasBucket(s.static); s.driver.Fail("DriverGetBucket", codes.InvalidArgument, "no") },
			Want:  rejected(v1alpha2.ReasonDriverRefused, gets+": InvalidArgument"),
		},
		{
			Name: "no info", Reason: "the ID of an unusable bucket is not recorded",
			Given: func(s *scene) {
				s.hasBucket(s.static)
				s.driver.Answer("DriverGetBucket", &cosiv1alpha2.DriverGetBucketResponse{})
			},
			Want: rejected(v1alpha2.ReasonInvalidDriverResponse, gets),
		},
		{
			Name: "call in flight for the bucket", Reason: "the call changes nothing, so that it need not wait",
			Given: func(s *scene) {
				s.hasBucket(s.static)
				s.driver.AddBucket(s.Name("old"))
				s.busy = []string{s.Name("old")}
			},
			Want: provisions(gets, append([]string{"Bucket b: status.bucketID=old"}, isProvisioned("old")...)...),
		},
	}, (*attempt).provision)
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"id":                     "id",
		strings.Repeat("x", 253): strings.Repeat("x", 253),
		strings.Repeat("x", 254): strings.Repeat("x", 253) + "...",
	} {
		if got := shorten(id); got != want {
			t.Errorf("shorten(%q) = %q, want %q", id, got, want)
		}
	}
}
