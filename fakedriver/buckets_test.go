package fakedriver_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func info(id string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: id, Endpoint: endpoint, Region: fakedriver.DefaultRegion,
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
	}}
}

func TestGetInfo(t *testing.T) {
	got, err := start(t, fakedriver.Options{}).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := &cosiv1alpha2.DriverGetInfoResponse{Name: fakedriver.DefaultName, SupportedProtocols: s3()}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("DriverGetInfo(): -want, +got:\n%s", diff)
	}
}

// KEP: GRPC-GENERATEBUCKETID-2
func TestGenerateBucketID(t *testing.T) {
	c := start(t, fakedriver.Options{})
	long := strings.Repeat("a", 60) + "." + strings.Repeat("b", 60)
	seen := map[string]string{}
	for _, name := range []string{
		"bc-6c0d7a3e-0c7b-4b58-9f0b-0d3c8b6c2f11", "ab", "a", long + ".1", long + ".2", "sthree-x", "xn--x", "1.2.3.4", "a.b",
	} {
		r := &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: name}
		got, err := c.DriverGenerateBucketId(t.Context(), r)
		if err != nil {
			t.Fatalf("DriverGenerateBucketId(%q): %v", name, err)
		}
		again, err := c.DriverGenerateBucketId(t.Context(), r)
		if err != nil || again.GetBucketId() != got.GetBucketId() {
			t.Errorf("DriverGenerateBucketId(%q) = %q, then %q, %v", name, got.GetBucketId(), again.GetBucketId(), err)
		}
		if other, taken := seen[got.GetBucketId()]; taken {
			t.Errorf("%q and %q have the same ID", name, other)
		}
		seen[got.GetBucketId()] = name
		if err := fakedriver.ValidateBucketName(got.GetBucketId()); err != nil {
			t.Errorf("DriverGenerateBucketId(%q) = %q: %v", name, got.GetBucketId(), err)
		}
		if fakedriver.ValidateBucketName(name) == nil && got.GetBucketId() != name {
			t.Errorf("DriverGenerateBucketId(%q) = %q, want the name itself", name, got.GetBucketId())
		}
		// A name that has the form of an ID must get another ID.
		if got.GetBucketId() != name {
			cross, _ := c.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: got.GetBucketId()})
			if cross.GetBucketId() == got.GetBucketId() {
				t.Errorf("the name %q has the ID of the name %q", got.GetBucketId(), name)
			}
		}
	}
}

// KEP: GRPC-GENERATEBUCKETID-8, GRPC-CREATEBUCKET-2
func TestCreateBucket(t *testing.T) {
	s := newStore(t)
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	c := start(t, fakedriver.Options{Backend: s})
	anyProtocol := createRequest("photos", "a")
	anyProtocol.Protocols = nil
	steps := []struct {
		reason  string
		request *cosiv1alpha2.DriverCreateBucketRequest
		want    codes.Code
	}{
		{"The first call creates it.", createRequest("photos", "a"), codes.OK},
		{"The same call has the same answer.", createRequest("photos", "a"), codes.OK},
		{"No protocol means any, so S3.", anyProtocol, codes.OK},
		{"Other parameters, other bucket.", createRequest("photos", "b"), codes.AlreadyExists},
		{"Fewer parameters, other bucket.", createRequest("photos"), codes.AlreadyExists},
		{"A bucket of another owner is not adopted.", createRequest("foreign"), codes.AlreadyExists},
	}
	for _, step := range steps {
		got, err := c.DriverCreateBucket(t.Context(), step.request)
		wantCode(t, err, step.want)
		if err != nil {
			continue
		}
		if diff := cmp.Diff(info("photos"), got.GetProtocols(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.reason, diff)
		}
	}
}

// KEP: GRPC-GETBUCKET-4
func TestGetBucket(t *testing.T) {
	c := start(t, fakedriver.Options{})
	if _, err := c.DriverCreateBucket(t.Context(), createRequest("photos", "a")); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]codes.Code{"photos": codes.OK, "missing": codes.NotFound, "": codes.InvalidArgument} {
		got, err := c.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: id, Protocols: s3()})
		wantCode(t, err, want)
		if diff := cmp.Diff(info(id), got.GetProtocols(), protocmp.Transform()); err == nil && diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
	_, err := c.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{
		BucketId: "photos", Parameters: map[string]string{"note": "b"},
	})
	wantCode(t, err, codes.AlreadyExists)
}

// KEP: GRPC-DELETEBUCKET-2
func TestDeleteBucket(t *testing.T) {
	s := newStore(t)
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "photos")
	for _, step := range []struct {
		id   string
		want codes.Code
	}{
		{"photos", codes.OK},
		{"photos", codes.OK},
		{"never-existed", codes.OK},
		{"not/a/bucket", codes.OK},
		{"foreign", codes.FailedPrecondition},
		{"", codes.InvalidArgument},
		{"..", codes.InvalidArgument},
	} {
		_, err := c.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: step.id})
		wantCode(t, err, step.want)
	}
	buckets, err := s.Buckets(t.Context())
	if err != nil || len(buckets) != 1 || buckets[0].Name != "foreign" {
		t.Errorf("Buckets() = %v, %v; want the foreign one", buckets, err)
	}
}

// TestNonEmptyDeletion compares the class's parameter with the store's specification.
func TestNonEmptyDeletion(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	for value, purge := range map[string]bool{"": false, fakedriver.NonEmptyReject: false, fakedriver.NonEmptyPurge: true} {
		request := &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bucket-" + value + "x"}
		if value != "" {
			request.Parameters = map[string]string{fakedriver.ParameterNonEmptyDeletion: value}
		}
		if _, err := c.DriverCreateBucket(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		bucket, err := s.GetBucket(t.Context(), request.GetBucketId())
		if err != nil || bucket.Purge != purge {
			t.Errorf("nonEmptyDeletion %q: Purge is %t, want %t (%v)", value, bucket.Purge, purge, err)
		}
	}
}

func TestParallelCreate(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := c.DriverCreateBucket(t.Context(), createRequest("photos", "a")); err != nil {
				t.Errorf("DriverCreateBucket(): %v", err)
			}
		})
	}
	all.Wait()
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 1 {
		t.Errorf("Buckets() = %v, %v; want one", buckets, err)
	}
}
