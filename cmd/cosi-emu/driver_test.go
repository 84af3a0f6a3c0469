package main_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// otherDriver is another driver with the calls that the emulator makes.
type otherDriver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	info *cosiv1alpha2.DriverGetInfoResponse
}

func (s *otherDriver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return s.info, nil
}

func (h *home) listen() net.Listener {
	h.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(h.t.Context(), "unix", filepath.Join(h.dir, "d.sock"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func (h *home) serve(server *grpc.Server) {
	h.t.Helper()
	listener := h.listen()
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	h.t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
	})
}

// driving returns a command line with a driver that returns this info.
func driving(info *cosiv1alpha2.DriverGetInfoResponse) func(*home) []string {
	return func(h *home) []string {
		server := grpc.NewServer()
		cosiv1alpha2.RegisterIdentityServer(server, &otherDriver{info: info})
		h.serve(server)
		return h.upWithDriver()
	}
}

func (h *home) upWithDriver() []string {
	return []string{"up", "--driver", "unix://" + filepath.Join(h.dir, "d.sock")}
}

// upWithSilentDriver is for a driver that never answers.
func (h *home) upWithSilentDriver() []string {
	return append(h.upWithDriver(), "--connect-timeout", "500ms")
}

func TestBadDrivers(t *testing.T) {
	t.Parallel()
	s3 := []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}}
	expectRejected(t, map[string]invalidInput{
		"NotRunning": {
			reason: "no process listens there",
			args:   (*home).upWithSilentDriver, code: 1, says: []string{"d.sock", "did not answer within 500ms", "no such file", "is it running"},
		},
		"Silent": {
			reason: "a process listens there and never answers",
			args:   func(h *home) []string { h.listen(); return h.upWithSilentDriver() },
			code:   1, says: []string{"d.sock", "did not answer within 500ms"},
		},
		"SilentTimeout": {
			reason: "the limit of the whole start holds as well",
			args: func(h *home) []string {
				h.listen()
				return append(h.upWithDriver(), "--timeout", "500ms")
			},
			code: 1, says: []string{"d.sock", "not ready after 500ms, the limit of --timeout"},
		},
		"BadName": {
			reason: "a name that objects cannot refer to",
			args:   driving(&cosiv1alpha2.DriverGetInfoResponse{Name: "My Driver", SupportedProtocols: s3}),
			code:   1, says: []string{"d.sock", `"My Driver"`, "lower-case DNS name"},
		},
		"NoName": {
			reason: "no name at all",
			args:   driving(&cosiv1alpha2.DriverGetInfoResponse{SupportedProtocols: s3}),
			code:   1, says: []string{"d.sock", "name", "it is empty"},
		},
		"NoProtocol": {
			reason: "a driver that serves nothing",
			args:   driving(&cosiv1alpha2.DriverGetInfoResponse{Name: "empty.example.com"}),
			code:   1, says: []string{"empty.example.com", "no protocol", "S3"},
		},
		"OtherVersion": {
			reason: "a driver of another version of COSI has other services",
			args: func(h *home) []string {
				h.serve(grpc.NewServer())
				return h.upWithDriver()
			},
			code: 1, says: []string{"d.sock", "neither COSI v1alpha2 nor v1alpha1"},
		},
	})
}
