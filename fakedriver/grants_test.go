package fakedriver_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func TestCapabilities(t *testing.T) {
	readOnly := accessed("aaa", cosiv1alpha2.AccessMode_READ_ONLY)
	tests := map[string]struct {
		reason  string
		options fakedriver.Options
		request *cosiv1alpha2.DriverGrantBucketAccessRequest
		want    codes.Code
	}{
		"All": {
			reason: "By default it can do everything.", request: grantRequest("ba-1", readOnly, accessed("bbb", cosiv1alpha2.AccessMode_WRITE_ONLY)),
		},
		"OneBucket": {
			reason: "One is one.", options: fakedriver.Options{SingleBucket: true}, request: grantRequest("ba-1", readOnly),
		},
		"TwoBuckets": {
			reason: "Two are too many.", options: fakedriver.Options{SingleBucket: true},
			request: grantRequest("ba-1", readOnly, accessed("bbb", cosiv1alpha2.AccessMode_READ_ONLY)), want: codes.OutOfRange,
		},
		"Mode": {
			reason: "It can do that.", options: fakedriver.Options{AccessModes: []fakedriver.AccessMode{fakedriver.ReadOnly}},
			request: grantRequest("ba-1", readOnly),
		},
		"OtherMode": {
			reason: "But not that.", options: fakedriver.Options{AccessModes: []fakedriver.AccessMode{fakedriver.ReadWrite}},
			request: grantRequest("ba-1", readOnly), want: codes.InvalidArgument,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.options.Backend = newStore(t)
			c := start(t, tc.options)
			c.create(t, "aaa", "bbb")
			_, err := c.DriverGrantBucketAccess(t.Context(), tc.request)
			wantCode(t, err, tc.want)
		})
	}
}
