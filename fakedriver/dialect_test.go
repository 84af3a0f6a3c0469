package fakedriver_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestDialectDetected expects a detected dialect for each driver. A driver without access modes
// cannot be distinguished from one with a mode.
func TestDialectDetected(t *testing.T) {
	for _, dialect := range dialects.All() {
		want := dialect
		if dialect == dialects.NoModes {
			want = dialects.OneMode
		}
		got, err := dialects.Detect(t.Context(), connect(t, fakedriver.Options{Dialect: dialect}))
		if err != nil || got != want {
			t.Errorf("driver of %s: Detect() = %q, %v, want %q", dialect, got, err, want)
		}
	}
}

func invoke[R proto.Message](t *testing.T, conn *grpc.ClientConn, method string, request proto.Message, response R) (R, error) {
	t.Helper()
	return response, conn.Invoke(t.Context(), method, request, response)
}

// TestOneCallBuckets: a bucket has one call, whose request has the name as bucket_id, and the calls
// that look for a bucket return its ID.
func TestOneCallBuckets(t *testing.T) {
	for dialect, get := range map[dialects.Dialect]string{
		dialects.NoModes:    dialects.GetExistingBucket,
		dialects.OneMode:    dialects.GetExistingBucket,
		dialects.OneModeGet: cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName,
	} {
		t.Run(string(dialect), func(t *testing.T) {
			conn := connect(t, fakedriver.Options{Dialect: dialect})
			create := cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName
			first, err := invoke(t, conn, create, createRequest("a.b.c"), &dialects.BucketResponse{})
			if err != nil || first.GetBucketId() != "a.b.c" || first.GetProtocols().GetS3().GetBucketId() != "a.b.c" {
				t.Fatalf("DriverCreateBucket() = %v, %v, want bucket a.b.c", first, err)
			}
			for method, request := range map[string]proto.Message{
				create: createRequest("a.b.c"), get: &cosiv1alpha2.DriverGetBucketRequest{BucketId: "a.b.c"},
			} {
				again, err := invoke(t, conn, method, request, &dialects.BucketResponse{})
				if diff := cmp.Diff(first, again, protocmp.Transform()); err != nil || diff != "" {
					t.Errorf("%s: %v; -first, +again:\n%s", method, err, diff)
				}
			}
			for name, tc := range map[string]struct {
				method  string
				request proto.Message
				want    codes.Code
			}{
				"Other":   {create, createRequest("a.b.c", "mine"), codes.AlreadyExists},
				"NoName":  {create, createRequest(""), codes.InvalidArgument},
				"BadName": {create, createRequest("A_B"), codes.InvalidArgument},
				"Missing": {get, &cosiv1alpha2.DriverGetBucketRequest{BucketId: "other"}, codes.NotFound},
				"KEP": {
					cosiv1alpha2.Provisioner_DriverGenerateBucketId_FullMethodName,
					&cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "x"}, codes.Unimplemented,
				},
			} {
				t.Run(name, func(t *testing.T) {
					_, err := invoke(t, conn, tc.method, tc.request, &dialects.BucketResponse{})
					wantCode(t, err, tc.want)
				})
			}
		})
	}
}

// TestOneCallModes: a mode of an earlier dialect applies to all categories, and its number is not
// the KEP's.
func TestOneCallModes(t *testing.T) {
	all := func(mode fakedriver.AccessMode) []fakedriver.Grant {
		return []fakedriver.Grant{{Bucket: "photos", ObjectData: mode, ObjectMetadata: mode, BucketMetadata: mode}}
	}
	for name, tc := range map[string]struct {
		dialect dialects.Dialect
		mode    dialects.AccessMode_Mode
		code    codes.Code
		want    []fakedriver.Grant
	}{
		"ReadWrite": {dialects.OneMode, dialects.AccessMode_READ_WRITE, codes.OK, all(fakedriver.ReadWrite)},
		"ReadOnly":  {dialects.OneMode, dialects.AccessMode_READ_ONLY, codes.OK, all(fakedriver.ReadOnly)},
		"WriteOnly": {dialects.OneModeGet, dialects.AccessMode_WRITE_ONLY, codes.OK, all(fakedriver.WriteOnly)},
		"Unknown":   {dialects.OneMode, dialects.AccessMode_UNKNOWN, codes.InvalidArgument, nil},
		"Later":     {dialects.OneModeGet, 4, codes.InvalidArgument, nil},
		"None":      {dialects.NoModes, dialects.AccessMode_UNKNOWN, codes.OK, all(fakedriver.ReadWrite)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			conn := connect(t, fakedriver.Options{Dialect: tc.dialect, Backend: s})
			create := cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName
			if _, err := invoke(t, conn, create, createRequest("photos"), &dialects.BucketResponse{}); err != nil {
				t.Fatal(err)
			}
			request := &dialects.GrantBucketAccessRequest{
				AccountName: "ba-1", Protocol: s3()[0], AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
				Buckets: []*dialects.GrantBucketAccessRequest_AccessedBucket{
					{BucketId: "photos", AccessMode: &dialects.AccessMode{Mode: tc.mode}},
				},
			}
			grant := cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName
			got, err := invoke(t, conn, grant, request, &dialects.GrantBucketAccessResponse{})
			wantCode(t, err, tc.code)
			if err == nil && (got.GetAccountId() != "ba-1" || got.GetCredentials().GetS3().GetAccessKeyId() == "") {
				t.Errorf("DriverGrantBucketAccess() = account %q with key %q, want ba-1 with a key",
					got.GetAccountId(), got.GetCredentials().GetS3().GetAccessKeyId())
			}
			accounts, err := s.Accounts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var grants []fakedriver.Grant
			for _, account := range accounts {
				grants = append(grants, account.Grants...)
			}
			if diff := cmp.Diff(tc.want, grants); diff != "" {
				t.Errorf("grants of the account: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestBucketIDs: the dialect with generated IDs of buckets has the KEP's modes, and the ID of an
// account in the response.
func TestBucketIDs(t *testing.T) {
	s := newStore(t)
	conn := connect(t, fakedriver.Options{Dialect: dialects.BucketIDs, Backend: s})
	provisioner := cosiv1alpha2.NewProvisionerClient(conn)
	generated, err := provisioner.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{
		Name: "photos", Protocols: s3(),
	})
	if err != nil || generated.GetBucketId() != "photos" {
		t.Fatalf("DriverGenerateBucketId() = %v, %v, want photos", generated, err)
	}
	create := cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName
	created, err := invoke(t, conn, create, createRequest("photos"), &dialects.BucketResponse{})
	if err != nil || created.GetBucketId() != "" || created.GetProtocols().GetS3().GetBucketId() != "photos" {
		t.Fatalf("DriverCreateBucket() = %v, %v, want protocols without an ID", created, err)
	}
	request := grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_ONLY))
	grant := cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName
	granted, err := invoke(t, conn, grant, request, &dialects.GrantBucketAccessResponse{})
	if err != nil || granted.GetAccountId() != "ba-1" {
		t.Fatalf("DriverGrantBucketAccess() = %v, %v, want account ba-1", granted, err)
	}
	revoke := &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: granted.GetAccountId()}
	if _, err := provisioner.DriverRevokeBucketAccess(t.Context(), revoke); err != nil {
		t.Error(err)
	}
	if _, err := provisioner.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "photos"}); err != nil {
		t.Error(err)
	}
	buckets, bucketsErr := s.Buckets(t.Context())
	accounts, accountsErr := s.Accounts(t.Context())
	if err := errors.Join(bucketsErr, accountsErr); err != nil || len(buckets)+len(accounts) > 0 {
		t.Errorf("the store has buckets %v and accounts %v, %v, want none", buckets, accounts, err)
	}
}
