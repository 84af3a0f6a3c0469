package fakedriver_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func rotating(id, value string) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	r := grantRequest(id, accessed("photos", cosiv1alpha2.AccessMode_READ_WRITE))
	r.Parameters = map[string]string{fakedriver.ParameterRotateCredentials: value}
	return r
}

func TestRotateCredentials(t *testing.T) {
	for value, rotates := range map[string]bool{"true": true, "false": false} {
		t.Run(value, func(t *testing.T) {
			s := newStore(t)
			c := start(t, fakedriver.Options{Backend: s})
			c.create(t, "photos")
			keys := map[string]bool{}
			for range 3 {
				got, err := c.DriverGrantBucketAccess(t.Context(), rotating("ba-1", value))
				wantCode(t, err, codes.OK)
				key := got.GetCredentials().GetS3()
				keys[key.GetAccessKeyId()+key.GetAccessSecretKey()] = true
			}
			if want := map[bool]int{true: 3, false: 1}[rotates]; len(keys) != want {
				t.Errorf("three grants gave %d keys, want %d", len(keys), want)
			}
			if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 1 {
				t.Errorf("Accounts() = %v, %v; want one", accounts, err)
			}
		})
	}
}

func TestRotateCredentialsRejected(t *testing.T) {
	c := start(t, fakedriver.Options{ServiceAccounts: true})
	c.create(t, "photos")
	_, err := c.DriverGrantBucketAccess(t.Context(), rotating("ba-1", "yes"))
	wantInvalid(t, "Not a value.", err, "true or false")
	request := rotating("ba-1", "true")
	request.AuthenticationType.Type, request.ServiceAccountName = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT, "builder"
	_, err = c.DriverGrantBucketAccess(t.Context(), request)
	wantInvalid(t, "There is no key.", err, "no key")
}

func TestAccountLimits(t *testing.T) {
	s, err := store.New(store.Options{MaxAccounts: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := start(t, fakedriver.Options{Backend: s})
	c.create(t, "archive")
	_, err = c.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: "photos", Parameters: map[string]string{fakedriver.ParameterMaxAccounts: "1"},
	})
	wantCode(t, err, codes.OK)
	grant := func(id, bucket string) error {
		_, err := c.DriverGrantBucketAccess(t.Context(), grantRequest(id, accessed(bucket, cosiv1alpha2.AccessMode_READ_ONLY)))
		return err
	}
	wantCode(t, grant("ba-1", "photos"), codes.OK)
	wantCode(t, grant("ba-2", "photos"), codes.ResourceExhausted)
	wantCode(t, grant("ba-2", "archive"), codes.OK)
	wantCode(t, grant("ba-3", "archive"), codes.ResourceExhausted)
	wantCode(t, grant("ba-2", "archive"), codes.OK)
	_, err = c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: "ba-1"})
	wantCode(t, err, codes.OK)
	wantCode(t, grant("ba-3", "photos"), codes.OK)
}
