package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// KEP: CHANGE-14
func TestReadInfo(t *testing.T) {
	protocols := func(types ...cosi.ObjectProtocol_Type) []*cosi.ObjectProtocol {
		var list []*cosi.ObjectProtocol
		for _, t := range types {
			list = append(list, &cosi.ObjectProtocol{Type: t})
		}
		return list
	}
	type want struct {
		info    Info
		invalid bool
	}
	tests := map[string]struct {
		reason   string
		response *cosi.DriverGetInfoResponse
		want     want
	}{
		"Good": {
			reason: "a DNS name and some protocols are what a driver needs",
			response: &cosi.DriverGetInfoResponse{
				Name: "s3.example.com", SupportedProtocols: protocols(cosi.ObjectProtocol_S3, cosi.ObjectProtocol_AZURE),
			},
			want: want{info: Info{Name: "s3.example.com", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolAzure, v1alpha2.ProtocolS3}}},
		},
		"E39Twice": {
			reason: "a protocol that is named twice says nothing wrong",
			response: &cosi.DriverGetInfoResponse{
				Name: "a", SupportedProtocols: protocols(cosi.ObjectProtocol_S3, cosi.ObjectProtocol_S3),
			},
			want: want{info: Info{Name: "a", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}}},
		},
		// KEP: GRPC-DRIVERGETINFO-2
		"E39Unknown": {
			reason:   "UNKNOWN is no protocol",
			response: &cosi.DriverGetInfoResponse{Name: "a", SupportedProtocols: protocols(cosi.ObjectProtocol_UNKNOWN)},
			want:     want{invalid: true},
		},
		"NilProtocol": {
			reason:   "nor is none",
			response: &cosi.DriverGetInfoResponse{Name: "a", SupportedProtocols: []*cosi.ObjectProtocol{nil}},
			want:     want{invalid: true},
		},
		"FutureProtocol": {
			reason:   "nor is one that this sidecar does not know",
			response: &cosi.DriverGetInfoResponse{Name: "a", SupportedProtocols: protocols(99)},
			want:     want{invalid: true},
		},
		// KEP: GRPC-DRIVERGETINFO-2
		"NoProtocol": {reason: "a driver serves something", response: &cosi.DriverGetInfoResponse{Name: "a"}, want: want{invalid: true}},
		"Nil":        {reason: "no answer is no answer", want: want{invalid: true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := readInfo(tc.response)
			if got := IsInvalidResponse(err); got != tc.want.invalid {
				t.Fatalf("%s: error %v, want invalid response: %t", tc.reason, err, tc.want.invalid)
			}
			if diff := cmp.Diff(tc.want.info, info); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
