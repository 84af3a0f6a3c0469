package fakedriver_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// KEP: GRPC-GENERATEACCESSID-1
func TestGenerateAccessID(t *testing.T) {
	c := start(t, fakedriver.Options{})
	for name, want := range map[string]codes.Code{"ba-1": codes.OK, "": codes.InvalidArgument, "BA": codes.InvalidArgument} {
		request := &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{AccountName: name}
		got, err := c.DriverGenerateBucketAccessId(t.Context(), request)
		wantCode(t, err, want)
		if err == nil && got.GetAccountId() == "" {
			t.Errorf("DriverGenerateBucketAccessId(%q) is empty", name)
		}
		again, err := c.DriverGenerateBucketAccessId(t.Context(), request)
		wantCode(t, err, want)
		if again.GetAccountId() != got.GetAccountId() {
			t.Errorf("DriverGenerateBucketAccessId(%q) = %q, then %q", name, got.GetAccountId(), again.GetAccountId())
		}
	}
}

// KEP: GRPC-GENERATEACCESSID-6, GRPC-GRANT-1
func TestGrant(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa", "bbb")
	read, write := accessed("aaa", cosiv1alpha2.AccessMode_READ_ONLY), accessed("bbb", cosiv1alpha2.AccessMode_READ_WRITE)
	first, err := c.DriverGrantBucketAccess(t.Context(), grantRequest("ba-1", read, write))
	if err != nil {
		t.Fatal(err)
	}
	want := &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			{BucketId: "aaa", BucketInfo: info("aaa")}, {BucketId: "bbb", BucketInfo: info("bbb")},
		},
		Credentials: first.GetCredentials(),
	}
	byID := protocmp.SortRepeated(func(a, b *cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo) bool {
		return a.GetBucketId() < b.GetBucketId()
	})
	if diff := cmp.Diff(want, first, protocmp.Transform(), byID); diff != "" {
		t.Errorf("DriverGrantBucketAccess(): -want, +got:\n%s", diff)
	}
	if got := first.GetCredentials().GetS3(); got.GetAccessKeyId() == "" || got.GetAccessSecretKey() == "" {
		t.Error("the credentials are incomplete")
	}
	steps := []struct {
		reason  string
		request *cosiv1alpha2.DriverGrantBucketAccessRequest
		want    codes.Code
	}{
		{"The same call has the same answer.", grantRequest("ba-1", read, write), codes.OK},
		{"The order means nothing.", grantRequest("ba-1", write, read), codes.OK},
		{"Another mode is other access.", grantRequest("ba-1", accessed("aaa", cosiv1alpha2.AccessMode_READ_WRITE), write), codes.AlreadyExists},
		{"Fewer buckets are other access.", grantRequest("ba-1", read), codes.AlreadyExists},
		{"A missing bucket may come yet.", grantRequest("ba-2", accessed("missing", cosiv1alpha2.AccessMode_READ_ONLY)), codes.NotFound},
	}
	for _, step := range steps {
		got, err := c.DriverGrantBucketAccess(t.Context(), step.request)
		wantCode(t, err, step.want)
		if diff := cmp.Diff(want, got, protocmp.Transform(), byID); err == nil && diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.reason, diff)
		}
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 {
		t.Fatalf("Accounts() = %v, %v; want one, nothing is left of a rejected call", accounts, err)
	}
	grants := []fakedriver.Grant{{Bucket: "aaa", ObjectData: fakedriver.ReadOnly}, {Bucket: "bbb", ObjectData: fakedriver.ReadWrite}}
	if diff := cmp.Diff(grants, accounts[0].Grants); diff != "" {
		t.Errorf("grants: -want, +got:\n%s", diff)
	}
}

func TestGrantModes(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	r := grantRequest("ba-1", &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId: "aaa", ObjectDataAccessMode: mode(cosiv1alpha2.AccessMode_WRITE_ONLY),
		ObjectMetadataAccessMode: mode(cosiv1alpha2.AccessMode_READ_WRITE), BucketMetadataAccessMode: mode(cosiv1alpha2.AccessMode_READ_ONLY),
	})
	if _, err := c.DriverGrantBucketAccess(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []fakedriver.Grant{{
		Bucket: "aaa", ObjectData: fakedriver.WriteOnly, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadOnly,
	}}
	if diff := cmp.Diff(want, accounts[0].Grants); diff != "" {
		t.Errorf("grants: -want, +got:\n%s", diff)
	}
}

// KEP: GRPC-REVOKE-3
func TestRevoke(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	request := grantRequest("ba-1", accessed("aaa", cosiv1alpha2.AccessMode_READ_WRITE))
	first, err := c.DriverGrantBucketAccess(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		id   string
		want codes.Code
	}{
		{"ba-1", codes.OK}, {"ba-1", codes.OK}, {"never-existed", codes.OK},
		{"foreign", codes.FailedPrecondition}, {"", codes.InvalidArgument}, {"a/../b", codes.InvalidArgument},
	} {
		_, err := c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: step.id})
		wantCode(t, err, step.want)
	}
	again, err := c.DriverGrantBucketAccess(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if first.GetCredentials().GetS3().GetAccessSecretKey() == again.GetCredentials().GetS3().GetAccessSecretKey() {
		t.Error("a secret came back after it had been revoked")
	}
}

func TestParallelGrant(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	answers := make([]*cosiv1alpha2.DriverGrantBucketAccessResponse, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			var err error
			answers[i], err = c.DriverGrantBucketAccess(t.Context(), grantRequest("ba-1", accessed("aaa", cosiv1alpha2.AccessMode_READ_WRITE)))
			if err != nil {
				t.Errorf("DriverGrantBucketAccess(): %v", err)
			}
		})
	}
	all.Wait()
	for _, answer := range answers {
		if !proto.Equal(answer, answers[0]) {
			t.Error("parallel calls have different answers")
		}
	}
	if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 1 {
		t.Errorf("Accounts() = %v, %v; want one", accounts, err)
	}
}

// TestRestart replaces a stopped driver by another one.
func TestRestart(t *testing.T) {
	s := newStore(t)
	request := grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_WRITE))
	var before *cosiv1alpha2.DriverGrantBucketAccessResponse
	t.Run("First", func(t *testing.T) {
		c := start(t, fakedriver.Options{Backend: s})
		if _, err := c.DriverCreateBucket(t.Context(), createRequest("photos", "a")); err != nil {
			t.Fatal(err)
		}
		var err error
		if before, err = c.DriverGrantBucketAccess(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	})
	c := start(t, fakedriver.Options{Backend: s})
	_, err := c.DriverCreateBucket(t.Context(), createRequest("photos", "a"))
	wantCode(t, err, codes.OK)
	_, err = c.DriverCreateBucket(t.Context(), createRequest("photos", "b"))
	wantCode(t, err, codes.AlreadyExists)
	after, err := c.DriverGrantBucketAccess(t.Context(), request)
	wantCode(t, err, codes.OK)
	if diff := cmp.Diff(before, after, protocmp.Transform()); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}
