package fakedriver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// broken is a backend whose calls all do the same.
type broken struct {
	fakedriver.Backend

	create func(context.Context) error
}

func (b broken) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	return fakedriver.Bucket{BucketSpec: spec}, b.create(ctx)
}

//nolint:lll // one case a line
func TestBackendFailures(t *testing.T) {
	tests := map[string]struct {
		reason string
		create func(context.Context) error
		want   codes.Code
		not    string
	}{
		"Plain":  {reason: "Its text may contain secrets.", create: func(context.Context) error { return errors.New("hush") }, want: codes.Internal, not: "hush"},
		"Panic":  {reason: "The driver lives on.", create: func(context.Context) error { panic("hush") }, want: codes.Internal, not: "hush"},
		"Status": {reason: "A seam may choose.", create: func(context.Context) error { return status.Error(codes.Unavailable, "away") }, want: codes.Unavailable},
		// Design: CSI-ERR-10
		"NotEmpty": {reason: "The user can do something.", create: func(context.Context) error { return fmt.Errorf("bucket %w", fakedriver.ErrNotEmpty) }, want: codes.FailedPrecondition},
		"Closed":   {reason: "It may come back.", create: func(context.Context) error { return fakedriver.ErrClosed }, want: codes.Unavailable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := start(t, fakedriver.Options{Backend: broken{create: tc.create}})
			_, err := c.DriverCreateBucket(t.Context(), createRequest("photos"))
			wantCode(t, err, tc.want)
			if tc.not != "" && strings.Contains(err.Error(), tc.not) {
				t.Errorf("%s\nthe message says %q", tc.reason, err)
			}
			if _, err := c.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{}); err != nil {
				t.Errorf("the next call fails: %v", err)
			}
		})
	}
}

func TestDeadlines(t *testing.T) {
	c := start(t, fakedriver.Options{Backend: broken{create: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := c.DriverCreateBucket(ctx, createRequest("photos"))
	wantCode(t, err, codes.DeadlineExceeded)
}

// TestStopWithCallInFlight checks that Serve ends a call that would never return.
func TestStopWithCallInFlight(t *testing.T) {
	arrived := make(chan struct{})
	var calls sync.WaitGroup
	t.Cleanup(calls.Wait)
	c := start(t, fakedriver.Options{GracePeriod: time.Millisecond, Backend: broken{create: func(ctx context.Context) error {
		close(arrived)
		<-ctx.Done()
		return ctx.Err()
	}}})
	calls.Go(func() {
		_, err := c.DriverCreateBucket(context.Background(), createRequest("photos"))
		if err == nil {
			t.Error("the call has succeeded")
		}
	})
	<-arrived
}

// TestSeam checks that interceptors of the options see the final outcome.
func TestSeam(t *testing.T) {
	var seen []codes.Code
	seam := func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		response, err := handle(ctx, request)
		seen = append(seen, status.Code(err))
		return response, err
	}
	c := start(t, fakedriver.Options{
		Backend:       broken{create: func(context.Context) error { panic("oops") }},
		ServerOptions: []grpc.ServerOption{grpc.ChainUnaryInterceptor(seam)},
	})
	_, err := c.DriverCreateBucket(t.Context(), createRequest("photos"))
	wantCode(t, err, codes.Internal)
	if len(seen) != 1 || seen[0] != codes.Internal {
		t.Errorf("the interceptor has seen %v, want %v", seen, codes.Internal)
	}
}

func TestNoSecretInLog(t *testing.T) {
	var mu sync.Mutex
	var log strings.Builder
	logger := funcr.New(func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		log.WriteString(line)
	}, funcr.Options{Verbosity: 10})
	c := start(t, fakedriver.Options{Logger: logger})
	c.create(t, "aaa")
	got, err := c.DriverGrantBucketAccess(t.Context(), grantRequest("ba-1", accessed("aaa", cosiv1alpha2.AccessMode_READ_WRITE)))
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(log.String(), got.GetCredentials().GetS3().GetAccessKeyId()) {
		t.Error("the log does not hold the response, so this test shows nothing")
	}
	if strings.Contains(log.String(), got.GetCredentials().GetS3().GetAccessSecretKey()) {
		t.Error("the log holds the secret")
	}
}

func TestNewRejects(t *testing.T) {
	valid := func() fakedriver.Options {
		return fakedriver.Options{Backend: broken{}, Endpoint: endpoint, Logger: logr.Discard()}
	}
	for name, change := range map[string]func(*fakedriver.Options){
		"NoBackend":  func(o *fakedriver.Options) { o.Backend = nil },
		"NoEndpoint": func(o *fakedriver.Options) { o.Endpoint = "" },
		"NoURL":      func(o *fakedriver.Options) { o.Endpoint = "127.0.0.1:9000" },
		"BadName":    func(o *fakedriver.Options) { o.Name = "Fake_Driver" },
		"LongName":   func(o *fakedriver.Options) { o.Name = strings.Repeat("a", 64) },
		"Dialect":    func(o *fakedriver.Options) { o.Dialect = "v1" },
		"Protocols": func(o *fakedriver.Options) {
			o.Dialect, o.Protocols = dialects.V1alpha1, []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolAzure}
		},
		"Modes": func(o *fakedriver.Options) {
			o.Dialect, o.AccessModes = dialects.V1alpha1, []fakedriver.AccessMode{fakedriver.ReadOnly}
		},
	} {
		options := valid()
		change(&options)
		if _, err := fakedriver.New(options); err == nil {
			t.Errorf("%s: New() accepts it", name)
		}
	}
}

// failing is the create of a broken backend that returns an error.
func failing(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// intercept lists methods and their outcomes.
func intercept(seen *[]string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, call *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		response, err := handle(ctx, request)
		*seen = append(*seen, call.FullMethod+" "+status.Code(err).String())
		return response, err
	}
}
