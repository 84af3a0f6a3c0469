package protocol_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// administered is a store with a bucket "photos" of a driver and a client with an
// administrator's key.
func administered(t *testing.T) (*s3test.Server, *s3.Client) {
	t.Helper()
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	key, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "admin", Owner: "admin", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client(t, key)
	return s, c
}

func TestAdminBuckets(t *testing.T) {
	s, c := administered(t)
	other, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "other", Owner: "other", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	create := func(c *s3.Client, name string) func() error {
		return func() error {
			_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name})
			return err
		}
	}
	remove := func(c *s3.Client, name string) func() error {
		return func() error {
			_, err := c.DeleteBucket(t.Context(), &s3.DeleteBucketInput{Bucket: &name})
			return err
		}
	}
	object := func(name string) func() error {
		return func() error {
			_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &name, Key: new("k")})
			return err
		}
	}
	app := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")))
	steps := []struct {
		reason string
		run    func() error
		want   string
	}{
		{"an object in a bucket that is not there", object("legacy"), "NoSuchBucket"},
		{"a new bucket", create(c, "legacy"), ""},
		{"the same again", create(c, "legacy"), "BucketAlreadyOwnedByYou"},
		{"a driver's", create(c, "photos"), "BucketAlreadyExists"},
		{"another administrator's", create(s.Client(t, other), "legacy"), "BucketAlreadyExists"},
		{"a name that cannot be", create(c, "no_name"), "InvalidBucketName"},
		{"an object in it", object("legacy"), ""},
		{"an object in a driver's", object("photos"), ""},
		{"deleting it with objects", remove(c, "legacy"), "BucketNotEmpty"},
		{"deleting a driver's", remove(c, "photos"), "AccessDenied"},
		{"deleting another administrator's", remove(s.Client(t, other), "legacy"), "AccessDenied"},
		{"deleting what is not there", remove(c, "nowhere"), "NoSuchBucket"},
		{"an application that deletes", remove(app, "photos"), "AccessDenied"},
		{"an application that creates", create(app, "mine"), "AccessDenied"},
		{"emptying", func() error {
			_, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("legacy"), Key: new("k")})
			return err
		}, ""},
		{"deleting it empty", remove(c, "legacy"), ""},
	}
	for _, step := range steps {
		if got := s3test.Failure(t, step.run()); got != step.want {
			t.Errorf("%s: %q, want %q", step.reason, got, step.want)
		}
	}
}

func TestAdminListsAll(t *testing.T) {
	s, c := administered(t)
	if _, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: new("legacy")}); err != nil {
		t.Fatal(err)
	}
	names := func(c *s3.Client) (names []string) {
		out, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range out.Buckets {
			names = append(names, *b.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"legacy", "photos"}, names(c)); diff != "" {
		t.Errorf("the administrator's buckets: -want, +got:\n%s", diff)
	}
	app := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")))
	if diff := cmp.Diff([]string{"photos"}, names(app)); diff != "" {
		t.Errorf("the application's buckets: -want, +got:\n%s", diff)
	}
	if b, err := s.GetBucket(t.Context(), "legacy"); err != nil || b.Owner != "admin" {
		t.Errorf("GetBucket() = %+v, %v; want the administrator's", b, err)
	}
	if err := s.DeleteBucket(t.Context(), s3test.Owner, "legacy"); !errors.Is(err, fakedriver.ErrConflict) {
		t.Errorf("a driver's DeleteBucket() of it = %v, want %v", err, fakedriver.ErrConflict)
	}
}

func TestLocationConstraint(t *testing.T) {
	s, c := administered(t)
	tests := map[string]struct {
		reason   string
		location string
		want     string
		code     string
	}{
		"Another": {reason: "It is honoured.", location: "us-west-2", want: "us-west-2"},
		"Same":    {reason: "The store's own.", location: s.Region(), want: s.Region()},
		"Bad":     {reason: "No region is called that.", location: "US West!", code: "InvalidLocationConstraint"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bucket := "bucket-" + s3Name(name)
			_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{
				Bucket: &bucket, CreateBucketConfiguration: &types.CreateBucketConfiguration{
					LocationConstraint: types.BucketLocationConstraint(tc.location),
				},
			})
			if got := s3test.Failure(t, err); got != tc.code {
				t.Fatalf("%s\nCreateBucket(): %q, want %q", tc.reason, got, tc.code)
			}
			if tc.code != "" {
				return
			}
			out, err := c.GetBucketLocation(t.Context(), &s3.GetBucketLocationInput{Bucket: &bucket}, func(o *s3.Options) { o.Region = tc.want })
			if err != nil || string(out.LocationConstraint) != tc.want {
				t.Errorf("%s\nGetBucketLocation() = %+v, %v; want %q", tc.reason, out, err, tc.want)
			}
		})
	}
}

func s3Name(name string) string { return string(name[0]|0x20) + name[1:] }

func TestCreateLockedBucket(t *testing.T) {
	_, c := administered(t)
	_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: new("locked"), ObjectLockEnabledForBucket: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := c.GetObjectLockConfiguration(t.Context(), &s3.GetObjectLockConfigurationInput{Bucket: new("locked")})
	if err != nil || lock.ObjectLockConfiguration.ObjectLockEnabled != "Enabled" {
		t.Errorf("GetObjectLockConfiguration() = %+v, %v", lock, err)
	}
	versioning, err := c.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: new("locked")})
	if err != nil || versioning.Status != "Enabled" {
		t.Errorf("GetBucketVersioning() = %+v, %v", versioning, err)
	}
}

// TestCreateBucketRejected is about settings that would have to be ignored.
func TestCreateBucketRejected(t *testing.T) {
	s, c := administered(t)
	_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{
		Bucket: new("tagged"), CreateBucketConfiguration: &types.CreateBucketConfiguration{
			Tags: []types.Tag{{Key: new("a"), Value: new("b")}},
		},
	})
	if got := s3test.Failure(t, err); got != "NotImplemented" {
		t.Errorf("with tags: %q", got)
	}
	presigned, err := s3.NewPresignClient(c).PresignHeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: new("tagged")})
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := s3test.Send(t, http.MethodHead, presigned.URL, presigned.SignedHeader, ""); status != http.StatusNotFound {
		t.Errorf("HEAD of the bucket answered %d, want 404", status)
	}
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 1 {
		t.Errorf("Buckets() = %v, %v; want photos alone", buckets, err)
	}
}

// TestAdminRevoked revokes the key, which ends like any other, although it has no grants.
func TestAdminRevoked(t *testing.T) {
	s, c := administered(t)
	if err := s.DeleteAccount(t.Context(), "admin", "admin"); err != nil {
		t.Fatal(err)
	}
	_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: new("legacy")})
	if got := s3test.Failure(t, err); got != "InvalidAccessKeyId" {
		t.Errorf("CreateBucket() with a revoked key: %q", got)
	}
	for _, spec := range []fakedriver.AccountSpec{
		{ID: "a", Admin: true, Grants: []fakedriver.Grant{s3test.ReadWrite("photos")}}, {ID: "b", Admin: true, ServiceAccount: "builder"},
	} {
		if _, err := s.PutAccount(t.Context(), spec); !errors.Is(err, fakedriver.ErrInvalid) {
			t.Errorf("PutAccount(%+v) = %v, want %v", spec, err, fakedriver.ErrInvalid)
		}
	}
}
