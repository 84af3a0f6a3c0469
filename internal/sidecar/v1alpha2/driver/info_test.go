package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// KEP: CHANGE-14
func TestReadInfo(t *testing.T) {
	protocols := func(types ...cosiv1alpha2.ObjectProtocol_Type) []*cosiv1alpha2.ObjectProtocol {
		var list []*cosiv1alpha2.ObjectProtocol
		for _, t := range types {
			list = append(list, &cosiv1alpha2.ObjectProtocol{Type: t})
		}
		return list
	}
	type want struct {
		info    Info
		invalid bool
	}
	tests := map[string]struct {
		reason   string
		response *cosiv1alpha2.DriverGetInfoResponse
		want     want
	}{
		"Good": {
			reason: "a DNS name and some protocols are what a driver needs",
			response: &cosiv1alpha2.DriverGetInfoResponse{
				Name: "s3.example.com", SupportedProtocols: protocols(cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_AZURE),
			},
			want: want{info: Info{Name: "s3.example.com", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolAzure, v1alpha2.ProtocolS3}}},
		},
		"E39Twice": {
			reason: "a protocol that is named twice says nothing wrong",
			response: &cosiv1alpha2.DriverGetInfoResponse{
				Name: "a", SupportedProtocols: protocols(cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_S3),
			},
			want: want{info: Info{Name: "a", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}}},
		},
		// KEP: GRPC-DRIVERGETINFO-2
		"E39Unknown": {
			reason:   "UNKNOWN is no protocol",
			response: &cosiv1alpha2.DriverGetInfoResponse{Name: "a", SupportedProtocols: protocols(cosiv1alpha2.ObjectProtocol_UNKNOWN)},
			want:     want{invalid: true},
		},
		"NilProtocol": {
			reason:   "nor is none",
			response: &cosiv1alpha2.DriverGetInfoResponse{Name: "a", SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{nil}},
			want:     want{invalid: true},
		},
		"FutureProtocol": {
			reason:   "nor is one that this sidecar does not know",
			response: &cosiv1alpha2.DriverGetInfoResponse{Name: "a", SupportedProtocols: protocols(99)},
			want:     want{invalid: true},
		},
		// KEP: GRPC-DRIVERGETINFO-2
		"NoProtocol": {reason: "a driver serves something", response: &cosiv1alpha2.DriverGetInfoResponse{Name: "a"}, want: want{invalid: true}},
		"Nil":        {reason: "no answer is no answer", want: want{invalid: true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := readInfo(tc.response)
			if got := connection.IsInvalidResponse(err); got != tc.want.invalid {
				t.Fatalf("%s: error %v, want invalid response: %t", tc.reason, err, tc.want.invalid)
			}
			if diff := cmp.Diff(tc.want.info, info); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
