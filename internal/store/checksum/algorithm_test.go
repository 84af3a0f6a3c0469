package checksum_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

func TestByName(t *testing.T) {
	for _, a := range checksum.All() {
		for _, name := range []string{a.String(), "c" + a.String()[1:], "s" + a.String()[1:]} {
			if got, ok := checksum.ByName(name); ok && got != a {
				t.Errorf("ByName(%q) = %s, want %s", name, got, a)
			}
		}
		if got, ok := checksum.ByName(a.String()); !ok || got != a {
			t.Errorf("ByName(%q) = %s, %v", a, got, ok)
		}
		if !checksum.IsHeader(a.Header()) {
			t.Errorf("%s is not taken for a checksum", a.Header())
		}
	}
	for _, name := range []string{"", "MD9", "CRC64", "CRC32 "} {
		if got, ok := checksum.ByName(name); ok {
			t.Errorf("ByName(%q) = %s", name, got)
		}
	}
	for _, name := range []string{"X-Amz-Checksum-Algorithm", "X-Amz-Checksum-Type", "X-Amz-Checksum-Mode", "X-Amz-Checksum-", "Crc32"} {
		if checksum.IsHeader(name) {
			t.Errorf("%s is taken for a checksum", name)
		}
	}
}

// TestTypes compares the types with the table in S3's user guide, "Checking object integrity".
func TestTypes(t *testing.T) {
	tests := map[checksum.Algorithm]struct{ full, composite bool }{
		checksum.None: {false, false}, checksum.CRC32: {true, true}, checksum.CRC32C: {true, true},
		checksum.CRC64NVME: {true, false}, checksum.SHA1: {false, true}, checksum.SHA256: {false, true}, checksum.SHA512: {false, true},
		checksum.MD5: {false, true}, checksum.XXHASH64: {false, true}, checksum.XXHASH3: {false, true}, checksum.XXHASH128: {false, true},
	}
	for a, want := range tests {
		if a.CanBeFullObject() != want.full || a.CanBeComposite() != want.composite {
			t.Errorf("%s can be full: %v, composite: %v; want %+v", a, a.CanBeFullObject(), a.CanBeComposite(), want)
		}
	}
}
