package fakedriver_test

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestClassesOfOthers: the fake driver accepts classes of other drivers. It ignores their
// parameters, and takes the unknown authentication type of COSI v0.2 for Key.
func TestClassesOfOthers(t *testing.T) {
	const foreign = "objectStoreUserSecretName"
	tests := map[string]struct {
		reason         string
		options        fakedriver.Options
		parameters     map[string]string
		authentication cosiv1alpha1.AuthenticationType
		create, grant  codes.Code
	}{
		"Strict": {
			"A misspelt parameter is noticed.", fakedriver.Options{},
			map[string]string{foreign: "x"}, cosiv1alpha1.AuthenticationType_Key, codes.InvalidArgument, codes.InvalidArgument,
		},
		"Driver": {
			"Classes of another driver can be used.", fakedriver.Options{IgnoreUnknownParameters: true},
			map[string]string{foreign: "x"}, cosiv1alpha1.AuthenticationType_Key, codes.OK, codes.OK,
		},
		"OwnIsWrong": {
			"What the driver knows counts.", fakedriver.Options{IgnoreUnknownParameters: true},
			map[string]string{foreign: "x", fakedriver.ParameterIgnoreUnknown: "yes"}, cosiv1alpha1.AuthenticationType_Key,
			codes.InvalidArgument, codes.InvalidArgument,
		},
		"Class": {
			"The class says so.", fakedriver.Options{},
			map[string]string{foreign: "x", fakedriver.ParameterIgnoreUnknown: "true"}, cosiv1alpha1.AuthenticationType_Key, codes.OK, codes.OK,
		},
		"ClassSaysNo": {
			"The class says no.", fakedriver.Options{},
			map[string]string{foreign: "x", fakedriver.ParameterIgnoreUnknown: "false"}, cosiv1alpha1.AuthenticationType_Key,
			codes.InvalidArgument, codes.InvalidArgument,
		},
		"NoType": {"The protocol requires a type.", fakedriver.Options{}, nil, 0, codes.OK, codes.InvalidArgument},
		"NoTypeOfV02": {
			"COSI v0.2 sends none for KEY.", fakedriver.Options{AcceptUnknownAuthentication: true}, nil, 0, codes.OK, codes.OK,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.options.Backend, tc.options.Dialect = newStore(t), dialects.V1alpha1
			c := cosiv1alpha1.NewProvisionerClient(connect(t, tc.options))
			created, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos", Parameters: tc.parameters})
			if got := status.Code(err); got != tc.create {
				t.Errorf("%s\ncreate: %v, want %s", tc.reason, err, tc.create)
			}
			if err != nil {
				created, err = c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"})
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.DriverGrantBucketAccess(t.Context(), &cosiv1alpha1.DriverGrantBucketAccessRequest{
				BucketId: created.GetBucketId(), Name: "ba-1", AuthenticationType: tc.authentication, Parameters: tc.parameters,
			})
			if got := status.Code(err); got != tc.grant {
				t.Errorf("%s\ngrant: %v, want %s", tc.reason, err, tc.grant)
			}
		})
	}
}
