package administration_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestForget: a store with a directory loses exactly one owner's data, objects included, and the
// loss survives reopening.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	s, err := s3test.Open(s3test.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"one", "two"} {
		inhabit(t, s, owner)
	}
	lost, err := s.Forget(t.Context(), func(owner string) bool { return owner == "one" })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(administration.DataLoss{Buckets: []string{"of-one"}, Accounts: []string{"app-one"}}, lost); diff != "" {
		t.Errorf("lost: -want, +got:\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s3test.Open(s3test.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() //nolint:errcheck // it was only read
	wantOnly(t, again, "two")
}

func inhabit(t *testing.T, s *s3test.Server, owner string) {
	t.Helper()
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "of-" + owner, Owner: owner}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app-" + owner, Owner: owner}); err != nil {
		t.Fatal(err)
	}
}

// wantOnly expects only the buckets and accounts of inhabit for one owner.
func wantOnly(t *testing.T, s *s3test.Server, owner string) {
	t.Helper()
	buckets, err := s.Buckets(t.Context())
	if err != nil || len(buckets) != 1 || buckets[0].Name != "of-"+owner {
		t.Errorf("buckets that are left: %v, %v", buckets, err)
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 || accounts[0].ID != "app-"+owner {
		t.Errorf("accounts that are left: %v, %v", accounts, err)
	}
}

// TestForgetInUse loses a bucket with an object, for which an application still has a key: the key
// is rejected, and a bucket of the same name begins empty.
func TestForgetInUse(t *testing.T) {
	s, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "hello", "world")
	if _, err := s.Forget(t.Context(), func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: new("photos"), Key: new("hello"), Body: strings.NewReader("x")})
	if err == nil || !strings.Contains(err.Error(), "InvalidAccessKeyId") {
		t.Errorf("PutObject() = %v, want InvalidAccessKeyId", err)
	}
	s.Bucket(t, "photos")
	app := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")))
	out, err := app.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
	if err != nil || len(out.Contents) != 0 {
		t.Errorf("a bucket that was made again has %v, %v", out, err)
	}
}
