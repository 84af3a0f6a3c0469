package azure_test

import (
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestCRC64 compares the checksum with the check value of CRC-64/NVME, which has Azure's
// polynomial.
func TestCRC64(t *testing.T) {
	t.Parallel()
	a := serve(t, azure.Options{}).access(t)
	got := a.put(t, "digits", "123456789").header.Get("x-ms-content-crc64")
	want := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, 0xae8b14860a799888))
	if got != want {
		t.Errorf("x-ms-content-crc64 is %s, want %s", got, want)
	}
}
