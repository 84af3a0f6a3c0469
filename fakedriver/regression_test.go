package fakedriver_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// stumbling is a backend that succeeds, but reports a failure the first time.
type stumbling struct {
	fakedriver.Backend

	count atomic.Int64
}

func (b *stumbling) stumble(err error) error {
	if err == nil && b.count.Add(1) == 1 {
		return errors.New("the answer was lost")
	}
	return err
}

func (b *stumbling) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	bucket, err := b.Backend.CreateBucket(ctx, spec)
	return bucket, b.stumble(err)
}

func (b *stumbling) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	credentials, err := b.Backend.PutAccount(ctx, spec)
	return credentials, b.stumble(err)
}

// TestE49CreateFailsHalfway: a known bug of other drivers, in which an outage left thousands of
// buckets unknown to COSI, a new one for each retry. Here, a retry finds the first bucket.
func TestE49CreateFailsHalfway(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: &stumbling{Backend: s}})
	_, err := c.DriverCreateBucket(t.Context(), createRequest("photos"))
	wantCode(t, err, codes.Internal)
	_, err = c.DriverCreateBucket(t.Context(), createRequest("photos"))
	wantCode(t, err, codes.OK)
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 1 {
		t.Errorf("Buckets() = %v, %v; want one", buckets, err)
	}
	_, err = c.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "photos"})
	wantCode(t, err, codes.OK)
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("Buckets() = %v, %v; want none", buckets, err)
	}
}

// TestE80GrantFailsHalfway: a known bug of other drivers, in which an account was created without
// its rights, and no retry could repair it. Here, a retry finds the account with its rights and its
// key, and there is one account.
func TestE80GrantFailsHalfway(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "photos")
	unsteady := start(t, fakedriver.Options{Backend: &stumbling{Backend: s}})
	request := grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_WRITE))
	_, err := unsteady.DriverGrantBucketAccess(t.Context(), request)
	wantCode(t, err, codes.Internal)
	first, err := unsteady.DriverGrantBucketAccess(t.Context(), request)
	wantCode(t, err, codes.OK)
	second, err := c.DriverGrantBucketAccess(t.Context(), request)
	wantCode(t, err, codes.OK)
	if diff := cmp.Diff(first, second, protocmp.Transform()); diff != "" {
		t.Errorf("the key has changed (-first +second):\n%s", diff)
	}
	if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 1 {
		t.Errorf("Accounts() = %v, %v; want one", accounts, err)
	}
}

// TestE78E79BucketOfAnotherOwner: the driver neither adopts nor deletes a bucket of another owner.
func TestE78E79BucketOfAnotherOwner(t *testing.T) {
	s := newStore(t)
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	c := start(t, fakedriver.Options{Backend: s})
	_, err := c.DriverCreateBucket(t.Context(), createRequest("foreign"))
	wantCode(t, err, codes.AlreadyExists)
	_, err = c.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "foreign"})
	wantCode(t, err, codes.FailedPrecondition)
	// COSI may grant access to a bucket that an administrator has imported.
	_, err = c.DriverGrantBucketAccess(t.Context(), grantRequest("ba-1", accessed("foreign", cosiv1alpha2.AccessMode_READ_ONLY)))
	wantCode(t, err, codes.OK)
	if _, err := s.GetBucket(t.Context(), "foreign"); err != nil {
		t.Errorf("the bucket is gone: %v", err)
	}
}

// TestE85BucketAlreadyGone: deleting a bucket that the backend has lost succeeds. Otherwise the
// claim could never be deleted.
func TestE85BucketAlreadyGone(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "photos")
	if err := s.DeleteBucket(t.Context(), fakedriver.DefaultName, "photos"); err != nil {
		t.Fatal(err)
	}
	_, err := c.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "photos"})
	wantCode(t, err, codes.OK)
}
