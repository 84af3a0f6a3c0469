package service

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestPortsRejected names the service and its problem.
func TestPortsRejected(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		reject func() error
		want   string
	}{
		"Range": {
			"A TCP port has 16 bits.", Ports{fakedriver.ProtocolGCS: 65536}.Validate,
			"the GCS port 65536 is not between 0 and 65535",
		},
		"GCS": {
			"A port without its service would be ignored.", func() error { return Ports{fakedriver.ProtocolGCS: 9090}.ValidateFor(nil) },
			"there is a GCS port, but GCS is not among the protocols",
		},
		"Azure": {
			"A port without its service would be ignored.", func() error { return Ports{fakedriver.ProtocolAzure: 9090}.ValidateFor(nil) },
			"there is an Azure port, but Azure is not among the protocols",
		},
	} {
		err := tc.reject()
		if err == nil {
			t.Errorf("%s: %s There is no error.", name, tc.reason)
			continue
		}
		if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
			t.Errorf("%s: %s -want, +got:\n%s", name, tc.reason, diff)
		}
	}
}

// TestReserve takes another port if the snapshot's is in use, and holds it until Release.
func TestReserve(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, number, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	i, warning, err := Reserve(t.Context(), S3, Place{Bind: "127.0.0.1", Saved: saved})
	if err != nil {
		t.Fatal(err)
	}
	if want := "as before, which another program uses: the sidecar writes the new endpoint"; !strings.Contains(warning, want) {
		t.Errorf("the warning %q does not contain %q", warning, want)
	}
	if i.URL("127.0.0.1") == "http://127.0.0.1:"+number {
		t.Errorf("the service has the port that another program uses, %s", number)
	}
	if err := i.Release(); err != nil {
		t.Error(err)
	}
	if _, _, err := Reserve(t.Context(), S3, Place{Bind: "127.0.0.1", Wanted: saved, Saved: saved}); err == nil {
		t.Errorf("port %s is in use, and Reserve succeeded", number)
	}
}
