package checksum_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

const sha1Of123 = "98O8HYCOBHMq32eZZczDTKeuNEE="

// TestVerifierOfTrailers: trailers are announced before the body and follow it.
func TestVerifierOfTrailers(t *testing.T) {
	tests := map[string]struct {
		reason  string
		trailer http.Header
		want    error
	}{
		"Right":     {"it is right", http.Header{"X-Amz-Checksum-Sha1": {sha1Of123}}, nil},
		"Wrong":     {"it is of something else", http.Header{"X-Amz-Checksum-Sha1": {"AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}, s3error.ErrBadDigest},
		"Composite": {"what is received is not made of parts", http.Header{"X-Amz-Checksum-Sha1": {sha1Of123 + "-1"}}, s3error.ErrInvalidRequest},
		"Missing":   {"whether what was announced has come is for others to see", http.Header{}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{"X-Amz-Checksum-Algorithm": {"SHA1"}}
			v, err := checksum.NewVerifier(header, []string{"X-Amz-Checksum-Sha1"})
			if err != nil {
				t.Fatal(err)
			}
			for _, piece := range []string{"1234", "", "56789"} {
				if n, err := v.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Errorf("Write() = %d, %v", n, err)
				}
			}
			if err := v.Check(header); err != nil {
				t.Errorf("Check() of the header = %v", err)
			}
			if got := v.Check(tc.trailer); !errors.Is(got, tc.want) {
				t.Errorf("%s: Check() of the trailer = %v, want %v", tc.reason, got, tc.want)
			}
			if got := v.Sum().String(); got != sha1Of123 {
				t.Errorf("Sum() = %s, want %s", got, sha1Of123)
			}
		})
	}
}

const sdkAlgorithm = "X-Amz-Sdk-Checksum-Algorithm"

func TestVerifierRejects(t *testing.T) {
	tests := map[string]struct {
		reason   string
		header   http.Header
		trailers []string
	}{
		"UnknownTrailer": {"what cannot be checked", nil, []string{"X-Amz-Checksum-Md9"}},
		"TwoTrailers":    {"one of two would have to be chosen", nil, []string{"X-Amz-Checksum-Sha1", "X-Amz-Checksum-Crc32"}},
		"TwoHeaders":     {"wherever they are", http.Header{"X-Amz-Checksum-Sha1": {""}, "X-Amz-Checksum-Crc32": {""}}, nil},
		"OneOfEach":      {"also one here and one there", http.Header{"X-Amz-Checksum-Sha1": {""}}, []string{"X-Amz-Checksum-Crc32"}},
		"Same":           {"also if they are of one algorithm", http.Header{"X-Amz-Checksum-Sha1": {""}}, []string{"X-Amz-Checksum-Sha1"}},
		"OtherTrailer":   {"what would be ignored", nil, []string{"X-Amz-Meta-A"}},
		"AboutTrailer":   {"what holds no checksum", nil, []string{"X-Amz-Checksum-Type"}},
		"Nothing":        {"an algorithm without a checksum", http.Header{sdkAlgorithm: {"SHA1"}}, nil},
		"Another":        {"an algorithm with the checksum of another", http.Header{sdkAlgorithm: {"SHA1"}, "X-Amz-Checksum-Crc32": {""}}, nil},
		"AnotherTrailer": {"an algorithm with the trailer of another", http.Header{sdkAlgorithm: {"SHA1"}}, []string{"X-Amz-Checksum-Crc32"}},
		"Unknown":        {"an algorithm that is not known", http.Header{sdkAlgorithm: {"MD9"}, "X-Amz-Checksum-Crc32": {""}}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := checksum.NewVerifier(tc.header, tc.trailers); !errors.Is(err, s3error.ErrInvalidRequest) {
				t.Errorf("%s: NewVerifier() = %v, want InvalidRequest", tc.reason, err)
			}
		})
	}
}

// TestVerifierAccepts: SDKs also name the algorithm, in any case.
func TestVerifierAccepts(t *testing.T) {
	for name, tc := range map[string]struct {
		header   http.Header
		trailers []string
	}{
		"Header":  {http.Header{sdkAlgorithm: {"crc32"}, "X-Amz-Checksum-Crc32": {""}}, nil},
		"Trailer": {http.Header{sdkAlgorithm: {"CRC32"}}, []string{"X-Amz-Checksum-Crc32"}},
	} {
		if _, err := checksum.NewVerifier(tc.header, tc.trailers); err != nil {
			t.Errorf("%s: NewVerifier() = %v", name, err)
		}
	}
}

// TestVerifierDefault: the client's choice precedes the store's.
func TestVerifierDefault(t *testing.T) {
	for _, tc := range []struct {
		trailers []string
		want     checksum.Algorithm
	}{{nil, checksum.CRC64NVME}, {[]string{"X-Amz-Checksum-Sha1"}, checksum.SHA1}} {
		v, err := checksum.NewVerifier(nil, tc.trailers)
		if err != nil {
			t.Fatal(err)
		}
		v.Default(checksum.CRC64NVME)
		if got := v.Sum().Algorithm; got != tc.want {
			t.Errorf("with the trailers %v: %s, want %s", tc.trailers, got, tc.want)
		}
	}
}

// Without an expected checksum, nothing is computed.
func TestVerifierOfNothing(t *testing.T) {
	v := &checksum.Verifier{}
	if n, err := v.Write([]byte("123456789")); n != 9 || err != nil {
		t.Errorf("Write() = %d, %v", n, err)
	}
	if err := v.Check(http.Header{"X-Amz-Checksum-Sha1": {"?"}}); err != nil {
		t.Errorf("Check() = %v", err)
	}
	if got := v.Sum(); !got.IsZero() {
		t.Errorf("Sum() = %s", got)
	}
}
