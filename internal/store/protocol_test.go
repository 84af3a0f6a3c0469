package store_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestOtherProtocols tries to access a bucket of GCS by S3, with a key with all permissions: for S3
// the bucket does not exist.
func TestOtherProtocols(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	spec := fakedriver.BucketSpec{Name: "photos", Owner: "admin", Protocol: fakedriver.ProtocolGCS}
	if _, err := s.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	key := s.Account(t, "app", s3test.ReadWrite("photos"))
	c := s.Client(t, key)
	_, list := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
	_, get := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("x")})
	for name, err := range map[string]error{"list": list, "get": get} {
		if rejected, ok := errors.AsType[smithy.APIError](err); !ok || rejected.ErrorCode() != "AccessDenied" {
			t.Errorf("%s: %v, want AccessDenied", name, err)
		}
	}
	if all, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{}); err != nil || len(all.Buckets) != 0 {
		t.Errorf("ListBuckets() = %v, %v", all, err)
	}
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "admin"}); !errors.Is(err, fakedriver.ErrConflict) {
		t.Errorf("another protocol: %v, want ErrConflict", err)
	}
}

// TestAuthenticate finds accounts by the secret itself.
func TestAuthenticate(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	photos := fakedriver.BucketSpec{Name: "photos", Owner: "admin", Protocol: fakedriver.ProtocolGCS}
	if _, err := s.CreateBucket(t.Context(), photos); err != nil {
		t.Fatal(err)
	}
	s.Bucket(t, "archive")
	key := s.Account(t, "app", s3test.ReadWrite("photos"), s3test.ReadWrite("archive"))
	for _, secret := range []string{"", "wrong", key.SecretAccessKey + "x"} {
		if _, err := s.Authenticate(key.AccessKeyID, secret); !errors.Is(err, authorization.ErrIdentity) {
			t.Errorf("Authenticate() with the secret %q: %v", secret, err)
		}
	}
	caller, err := s.Authenticate(key.AccessKeyID, key.SecretAccessKey)
	if err != nil {
		t.Fatal(err)
	}
	for bucket, want := range map[string]error{"photos": nil, "archive": authorization.ErrDenied, "nowhere": authorization.ErrDenied} {
		if _, err := caller.Grant(fakedriver.ProtocolGCS, bucket); !errors.Is(err, want) {
			t.Errorf("Grant(%q) = %v, want %v", bucket, err, want)
		}
	}
	if err := caller.Enter(); err != nil {
		t.Fatal(err)
	}
	caller.Leave()
	account := accountOf(t, s, "app")
	if err := s.DeleteAccount(t.Context(), account.Owner, "app"); err != nil {
		t.Fatal(err)
	}
	if err := caller.Enter(); !errors.Is(err, authorization.ErrIdentity) {
		t.Errorf("Enter() after revocation: %v", err)
	}
}

func accountOf(t *testing.T, s *s3test.Server, id string) fakedriver.Account {
	t.Helper()
	accounts, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range accounts {
		if account.ID == id {
			return account
		}
	}
	t.Fatalf("there is no account %s", id)
	return fakedriver.Account{}
}
