package fakedriver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// TestE49V1alpha1CreateFailsHalfway: a retry finds the bucket that the failed call has created, and
// returns its ID, by which it is deleted.
func TestE49V1alpha1CreateFailsHalfway(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: &stumbling{Backend: s}})
	request := &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"}
	_, err := c.DriverCreateBucket(t.Context(), request)
	wantCode(t, err, codes.Internal)
	created, err := c.DriverCreateBucket(t.Context(), request)
	wantCode(t, err, codes.OK)
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 1 {
		t.Errorf("Buckets() = %v, %v; want one", buckets, err)
	}
	_, err = c.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: created.GetBucketId()})
	wantCode(t, err, codes.OK)
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("Buckets() = %v, %v; want none", buckets, err)
	}
}

// TestE80V1alpha1GrantFailsHalfway: a retry finds the account with its rights and its key, and
// there is one account.
func TestE80V1alpha1GrantFailsHalfway(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	c.create(t, "photos")
	unsteady := startOld(t, fakedriver.Options{Backend: &stumbling{Backend: s}})
	_, err := unsteady.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
	wantCode(t, err, codes.Internal)
	first, err := unsteady.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
	wantCode(t, err, codes.OK)
	second, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
	wantCode(t, err, codes.OK)
	if diff := cmp.Diff(first, second, protocmp.Transform()); diff != "" {
		t.Errorf("the key has changed (-first +second):\n%s", diff)
	}
	if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 1 {
		t.Errorf("Accounts() = %v, %v; want one", accounts, err)
	}
}

// TestE78E79V1alpha1BucketOfAnotherOwner: the driver neither adopts nor deletes a bucket of another
// owner, and can grant access to one that an administrator has declared.
func TestE78E79V1alpha1BucketOfAnotherOwner(t *testing.T) {
	s := newStore(t)
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	c := startOld(t, fakedriver.Options{Backend: s})
	_, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "foreign"})
	wantCode(t, err, codes.AlreadyExists)
	_, err = c.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "foreign"})
	wantCode(t, err, codes.FailedPrecondition)
	_, err = c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "foreign"))
	wantCode(t, err, codes.OK)
	if _, err := s.GetBucket(t.Context(), "foreign"); err != nil {
		t.Errorf("the bucket is gone: %v", err)
	}
}
