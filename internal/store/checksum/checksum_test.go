package checksum_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

//nolint:lll // one case a line
func TestVerifier(t *testing.T) {
	// The check values of the catalogue of CRC algorithms, for "123456789".
	tests := map[string]struct {
		reason      string
		name, value string
		want        error
	}{
		"CRC32":     {reason: "Right.", name: "X-Amz-Checksum-Crc32", value: "y/Q5Jg=="},
		"CRC32C":    {reason: "Right.", name: "X-Amz-Checksum-Crc32c", value: "4waSgw=="},
		"CRC64NVME": {reason: "Right.", name: "X-Amz-Checksum-Crc64nvme", value: "rosUhgp5mIg="},
		"SHA1":      {reason: "Right.", name: "X-Amz-Checksum-Sha1", value: "98O8HYCOBHMq32eZZczDTKeuNEE="},
		"SHA256":    {reason: "Right.", name: "X-Amz-Checksum-Sha256", value: "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="},
		"Wrong":     {reason: "Another value.", name: "X-Amz-Checksum-Crc32", value: "AAAAAA==", want: s3error.ErrBadDigest},
		"TooShort":  {reason: "Not of the algorithm's length.", name: "X-Amz-Checksum-Crc32", value: "AAA=", want: s3error.ErrInvalidRequest},
		"NoBase64":  {reason: "Not encoded.", name: "X-Amz-Checksum-Crc32", value: "?", want: s3error.ErrInvalidRequest},
		"Unknown":   {reason: "What cannot be checked is rejected.", name: "X-Amz-Checksum-Md9", value: "AAAAAA==", want: s3error.ErrInvalidRequest},
		"NotOne":    {reason: "Says which algorithm, and has no value.", name: "X-Amz-Checksum-Algorithm", value: "CRC32"},
		"Other":     {reason: "Not a checksum.", name: "X-Amz-Meta-A", value: "b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{tc.name: {tc.value}}
			v, got := checksum.NewVerifier(header, nil)
			if got == nil {
				_, _ = v.Write([]byte("123456789"))
				got = v.Check(header)
			}
			if !errors.Is(got, tc.want) {
				t.Errorf("%s\nCheck() = %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}
