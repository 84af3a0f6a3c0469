package fakedriver_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func TestInvalidBucketRequests(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	tests := map[string]struct {
		reason   string
		request  *cosiv1alpha2.DriverCreateBucketRequest
		mentions string
	}{
		"Empty":      {"An empty ID names everything.", createRequest(""), "empty"},
		"Dot":        {"Not a name.", createRequest("."), "'.'"},
		"DotDot":     {"Leads elsewhere.", createRequest(".."), "'..'"},
		"Climbing":   {"Leads elsewhere.", createRequest("a/../b"), "'..'"},
		"Slash":      {"Not a bucket.", createRequest("abc/def"), "abc/def"},
		"Control":    {"Must not reach a terminal.", createRequest("abc\x1b[31m"), `\x1b`},
		"TooLong":    {"S3 allows 63.", createRequest(strings.Repeat("a", 64)), "63"},
		"FarTooLong": {"COSI allows 2048.", createRequest(strings.Repeat("a", 2049)), "2048"},
		"Uppercase":  {"Not in S3.", createRequest("Photos"), "Photos"},
		"NoS3": {"Not served.", &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "abc", Protocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_GCS}},
		}, "GCS"},
		"NotOnlyS3": {"All must be served.", &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "abc", Protocols: append(s3(), &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_AZURE}),
		}, "AZURE"},
		"UnknownType": {"Not a protocol.", &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "abc", Protocols: []*cosiv1alpha2.ObjectProtocol{{}},
		}, "UNKNOWN"},
		"Parameter": {"Misspelt.", &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "abc", Parameters: map[string]string{"nota": "b"},
		}, "note"},
		"NonEmpty": {"Misspelt.", &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "abc", Parameters: map[string]string{"nonEmptyDeletion": "Purge"},
		}, "purge"},
		"LongNote": {"Bounded.", createRequest("abc", strings.Repeat("n", 257)), "256"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := c.DriverCreateBucket(t.Context(), tc.request)
			wantInvalid(t, tc.reason, err, tc.mentions)
		})
	}
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) > 0 {
		t.Errorf("rejected calls have created %v, %v", buckets, err)
	}
}

func wantInvalid(t *testing.T, reason string, err error, mentions string) {
	t.Helper()
	wantCode(t, err, codes.InvalidArgument)
	if !strings.Contains(status.Convert(err).Message(), mentions) {
		t.Errorf("%s\nmessage %q does not mention %q", reason, err, mentions)
	}
}

func TestInvalidNames(t *testing.T) {
	c := start(t, fakedriver.Options{})
	long := strings.TrimSuffix(strings.Repeat(strings.Repeat("a", 62)+".", 4), ".")
	for name, want := range map[string]codes.Code{
		"":  codes.InvalidArgument,
		".": codes.InvalidArgument, "..": codes.InvalidArgument,
		"a/b": codes.InvalidArgument, "A": codes.InvalidArgument, "a\n": codes.InvalidArgument,
		long + "aa": codes.OK, long + "aaa": codes.InvalidArgument,
	} {
		_, err := c.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: name})
		wantCode(t, err, want)
	}
}

// KEP: API-ACCESS-2
func TestInvalidGrants(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	tests := map[string]struct {
		reason   string
		change   func(*cosiv1alpha2.DriverGrantBucketAccessRequest)
		mentions string
	}{
		"NoAccount":  {"Nothing to know it by.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.AccountId = "" }, "account_id"},
		"OddAccount": {"Not an ID.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.AccountId = "a b" }, "account_id"},
		"NoProtocol": {"Required.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.Protocol = nil }, "S3"},
		"OtherProtocol": {"Not served.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Protocol.Type = cosiv1alpha2.ObjectProtocol_AZURE
		}, "AZURE"},
		"NoType":      {"Required.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.AuthenticationType = nil }, "Key"},
		"UnknownType": {"Not a type.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.AuthenticationType.Type = 0 }, "UNKNOWN"},
		"ServiceAccount": {"Not served.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.AuthenticationType.Type = 2
		}, "ServiceAccount"},
		"NewType": {"From the future.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.AuthenticationType.Type = 7 }, "7"},
		"Contradiction": {"For the other type.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.ServiceAccountName = "sa"
		}, "service_account_name"},
		"Parameter": {"Misspelt.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Parameters = map[string]string{"nota": "b"}
		}, "note"},
		"NoBuckets": {"Access to nothing.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.Buckets = nil }, "buckets"},
		"Twice": {"Which of the two?", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets = append(r.GetBuckets(), r.GetBuckets()[0])
		}, "twice"},
		"BadBucket": {"Leads elsewhere.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) { r.Buckets[0].BucketId = ".." }, "bucket_id"},
		"UnknownMode": {"Must not be widened.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].ObjectDataAccessMode.Mode = 0
		}, "object_data_access_mode"},
		"NoMode": {"Must not be widened.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].ObjectMetadataAccessMode = nil
		}, "object_metadata_access_mode"},
		"NewMode": {"From the future.", func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].BucketMetadataAccessMode.Mode = 9
		}, "bucket_metadata_access_mode"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			request := proto.CloneOf(grantRequest("ba-1", accessed("aaa", cosiv1alpha2.AccessMode_READ_WRITE)))
			tc.change(request)
			_, err := c.DriverGrantBucketAccess(t.Context(), request)
			wantInvalid(t, tc.reason, err, tc.mentions)
		})
	}
	if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) > 0 {
		t.Errorf("rejected calls have created %v, %v", accounts, err)
	}
}
