package fakedriver_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func forServiceAccount(name string) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	r := grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_WRITE))
	r.AuthenticationType.Type, r.ServiceAccountName = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT, name
	return r
}

func TestGrantServiceAccount(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s, ServiceAccounts: true})
	c.create(t, "photos")
	for _, step := range []struct {
		reason  string
		request *cosiv1alpha2.DriverGrantBucketAccessRequest
		want    codes.Code
	}{
		{"Whose?", forServiceAccount(""), codes.InvalidArgument},
		{"Not a name.", forServiceAccount("demo/builder"), codes.InvalidArgument},
		{"The first call grants.", forServiceAccount("builder"), codes.OK},
		{"The same call has the same answer.", forServiceAccount("builder"), codes.OK},
		{"The access of another account.", forServiceAccount("other"), codes.AlreadyExists},
		{"Another kind of access.", grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_WRITE)), codes.AlreadyExists},
	} {
		got, err := c.DriverGrantBucketAccess(t.Context(), step.request)
		wantCode(t, err, step.want)
		if key := got.GetCredentials().GetS3(); err == nil && (key == nil || key.GetAccessKeyId() != "" || key.GetAccessSecretKey() != "") {
			t.Errorf("%s: the answer has a key, or not even the protocol", step.reason)
		}
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 || accounts[0].ServiceAccount != "builder" || accounts[0].AccessKeyID != "" {
		t.Errorf("Accounts() = %+v, %v; want one of ServiceAccount builder, without a key", accounts, err)
	}
}
