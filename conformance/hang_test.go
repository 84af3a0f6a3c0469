package conformance_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestHangingDriver: each check of a driver that hangs ends by its deadline, and the report
// lists the checks that were not reached.
func TestHangingDriver(t *testing.T) {
	for name, tc := range map[string]struct {
		hangs   func(any) bool
		results int
	}{
		"in Grant": {func(r any) bool { _, ok := r.(*grant); return ok }, checksOf(t)},
		"always":   {func(any) bool { return true }, 0}, // the suite cannot detect its dialect
	} {
		t.Run(name, func(t *testing.T) {
			wrong := always(func(ctx context.Context, r any, next call) (any, error) {
				if tc.hangs(r) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return next(r)
			})
			config := serve(t, setup{behaviour: wrong}).config()
			config.CallTimeout, config.Timeout, config.Restart = 50*time.Millisecond, 200*time.Millisecond, nil
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() {
				t.Error("OK() = true for a driver that hangs")
			}
			if len(report.Results) != tc.results {
				t.Errorf("%d results, want %d", len(report.Results), tc.results)
			}
		})
	}
}

// TestHostileProcess: a driver that floods its output, leaks descriptors or dies is tested to
// the end, or the report explains why not.
func TestHostileProcess(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mistake string
		ok      bool
	}{{floods, true}, {leaksDescriptors, false}, {dies, false}} {
		t.Run(tc.mistake, func(t *testing.T) {
			t.Parallel()
			config := processConfig(t, dialects.KEP, tc.mistake)
			config.Profiles, config.CallTimeout, config.Timeout = []string{"Core"}, time.Second, 3*time.Second
			if tc.ok {
				config.CallTimeout, config.Timeout = 0, 0
			}
			config.Backend = nil
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() != tc.ok {
				t.Errorf("OK() = %t, want %t: %v %s", report.OK(), tc.ok, report.Verdicts, report.Problem)
			}
			for _, result := range report.Results {
				if tc.ok && result.State == conformance.Fail {
					t.Error(result.Explain())
				}
			}
			if err := report.Save(t.TempDir()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGarbage: what answers at the endpoint does not speak gRPC.
func TestGarbage(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string][]byte{
		"nothing": nil, "zeros": make([]byte, 1<<16), "text": []byte("HTTP/1.1 200 OK\r\n\r\nhello"),
		"a frame too long": append([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), bytes.Repeat([]byte{0xff}, 1<<16)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := "unix://" + harness.SocketDir(t) + "/d.sock"
			listener, err := fakedriver.Listen(endpoint)
			if err != nil {
				t.Fatal(err)
			}
			var served sync.WaitGroup
			served.Go(func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Write(answer)
					_ = conn.Close()
				}
			})
			t.Cleanup(func() { _ = listener.Close(); served.Wait() })
			report, err := conformance.Execute(t.Context(), conformance.Config{Endpoint: endpoint, CallTimeout: 500 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() || report.Problem == "" {
				t.Errorf("OK() = %t, and the problem is %q", report.OK(), report.Problem)
			}
		})
	}
}

// checksOf is the number of checks that a run has by default.
func checksOf(t *testing.T) int {
	t.Helper()
	n := 0
	for _, c := range conformance.Checks() {
		if c.Profile != "End-to-End" {
			n++
		}
	}
	return n
}

// TestNoDriver: nothing listens at the endpoint.
func TestNoDriver(t *testing.T) {
	report, err := conformance.Execute(t.Context(), conformance.Config{
		Endpoint: "unix://" + t.TempDir() + "/no.sock", CallTimeout: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.OK() || report.Problem == "" || len(report.Results) > 0 {
		t.Errorf("OK() = %t, problem %q, %d results", report.OK(), report.Problem, len(report.Results))
	}
}

// TestDriverThatStarts: the test of a driver starts it in another goroutine, and the run begins
// before the driver listens.
func TestDriverThatStarts(t *testing.T) {
	t.Parallel()
	d := serve(t, setup{})
	config := d.config()
	config.Only = []string{"ID-01"}
	var refused atomic.Bool
	config.DialOptions = []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		if refused.CompareAndSwap(false, true) {
			return nil, syscall.ECONNREFUSED
		}
		return d.dial(ctx, address)
	})}
	for _, result := range d.test(config).Results {
		if result.State != conformance.Pass {
			t.Errorf("%s: %s (%s), want %s", result.Check.ID, result.State, result.Reason, conformance.Pass)
		}
	}
}
