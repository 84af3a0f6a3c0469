package tcpport_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

func TestListen(t *testing.T) {
	first, err := tcpport.Listen(t.Context(), "S3", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	address := first.Addr().String()
	for name, tc := range map[string]struct {
		address, want string
		cause         error
	}{
		"InUse": {
			address, "listen for S3 on " + address + ": bind: address already in use; stop the program that uses it, or choose another port",
			syscall.EADDRINUSE,
		},
		"Malformed": {"127.0.0.1", "listen for S3 on 127.0.0.1: address 127.0.0.1: missing port in address", nil},
	} {
		_, err := tcpport.Listen(t.Context(), "S3", tc.address)
		if failed, ok := errors.AsType[*tcpport.Error](err); !ok || !strings.HasPrefix(failed.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		if tc.cause != nil && !errors.Is(err, tc.cause) {
			t.Errorf("%s: %v is not %v", name, err, tc.cause)
		}
	}
}
