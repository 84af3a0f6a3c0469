package seam_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// mint is a driver that creates buckets with the requested names.
type mint struct {
	cosiv1alpha2.UnimplementedProvisionerServer
	created atomic.Int32
}

func (m *mint) DriverCreateBucket(
	_ context.Context, req *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	m.created.Add(1)
	return created(req.GetBucketId()), nil
}

func created(name string) *cosiv1alpha2.DriverCreateBucketResponse {
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: name, Region: "eu", Endpoint: "http://s3",
	}}}
}

func region(name, region string) *cosiv1alpha2.DriverCreateBucketResponse {
	response := created(name)
	response.Protocols.S3.Region = region
	return response
}

// TestRPCFaults creates three buckets; a fault affects the second call.
func TestRPCFaults(t *testing.T) {
	tests := map[string]struct {
		reason  string
		on      string // side of the fault; the caller's by default
		effect  fault.Effect
		code    codes.Code
		want    *cosiv1alpha2.DriverCreateBucketResponse // of the second, if any
		created int32
	}{
		"Fail": {reason: "The driver is not asked.", effect: fault.Effect{Fail: "AlreadyExists"}, code: codes.AlreadyExists, created: 2},
		"Lost": {
			reason: "The driver has acted.", effect: fault.Effect{LoseReply: "DeadlineExceeded"}, code: codes.DeadlineExceeded,
			created: 3,
		},
		"Duplicate": {reason: "The driver is asked twice.", effect: fault.Effect{Duplicate: true}, want: created("b2"), created: 4},
		"Delay":     {reason: "Nothing else happens.", effect: fault.Effect{Delay: time.Millisecond}, want: created("b2"), created: 3},
		"Hang":      {reason: "Until the deadline.", effect: fault.Effect{Hang: true}, code: codes.DeadlineExceeded, created: 2},
		"Set": {
			reason: "A field is wrong.", effect: fault.Effect{Set: map[string]any{"protocols.s3.region": "us"}},
			want: region("b2", "us"), created: 3,
		},
		"SetNull": {
			reason: "A field is empty.", effect: fault.Effect{Set: map[string]any{"protocols.s3.region": nil}}, want: region("b2", ""),
			created: 3,
		},
		"Empty":    {reason: "All is empty.", effect: fault.Effect{Empty: true}, want: &cosiv1alpha2.DriverCreateBucketResponse{}, created: 3},
		"Swap":     {reason: "It is the answer before.", effect: fault.Effect{Swap: true}, want: created("b1"), created: 3},
		"Oversize": {reason: "gRPC does not take it.", effect: fault.Effect{Oversize: 5 << 20}, code: codes.ResourceExhausted, created: 3},
		"Larger":   {reason: "gRPC takes it.", effect: fault.Effect{Oversize: 1 << 10}, want: created("b2"), created: 3},
		"Before":   {reason: "The sidecar dies before.", effect: fault.Effect{Crash: fault.Before}, code: codes.Unavailable, created: 1},
		"After":    {reason: "The sidecar dies afterwards.", effect: fault.Effect{Crash: fault.After}, code: codes.Unavailable, created: 2},

		"DriverFail": {
			reason: "The driver fails.", on: "driver", effect: fault.Effect{Fail: "Internal"}, code: codes.Internal, created: 2,
		},
		"DriverSet": {
			reason: "The driver lies.", on: "driver", effect: fault.Effect{Set: map[string]any{"protocols.s3.region": "us"}},
			want: region("b2", "us"), created: 3,
		},
		"DriverOversize": {
			reason: "gRPC really does not take it.", on: "driver", effect: fault.Effect{Oversize: 5 << 20},
			code: codes.ResourceExhausted, created: 3,
		},
		"DriverAfter": {
			reason: "The driver dies afterwards.", on: "driver", effect: fault.Effect{Crash: fault.After}, code: codes.Unavailable,
			created: 2,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			client, server, j := twoLives(t)
			match := fault.Match{Seam: journal.SeamRPC, Component: tc.on, Operation: "DriverCreateBucket", Nth: 2}
			set := fault.NewSet()
			if err := set.Add(fault.Fault{Name: "f", Match: match, Effect: tc.effect}); err != nil {
				t.Fatal(err)
			}
			client.Inject(set, seam.Hooks{})
			server.Inject(set, seam.Hooks{})
			m := &mint{}
			driver := connectRPC(t, client, server, m)
			for n, bucket := range []string{"b1", "b2", "b3"} {
				got, err := create(t, driver, bucket, deadline(tc.effect))
				if n == 1 {
					expectSecond(t, tc.reason, got, err, tc.code, tc.want)
				} else if fenced := n == 2 && tc.effect.Crash != ""; err != nil && !fenced {
					t.Errorf("call %d: %v, want no fault", n+1, err)
				}
			}
			if got := m.created.Load(); got != tc.created {
				t.Errorf("%d calls have reached the driver, want %d", got, tc.created)
			}
			if got := applied(t, j); len(got) != 1 || !strings.HasPrefix(got[0], "DriverCreateBucket b2 ") {
				t.Errorf("calls that a fault affected: %q, want the second call alone", got)
			}
		})
	}
}

// deadline returns the time limit of a call, which is short only for effects that wait for it.
func deadline(effect fault.Effect) time.Duration {
	if effect.Hang {
		return time.Second
	}
	return harness.Timeout
}

func create(
	t *testing.T, driver cosiv1alpha2.ProvisionerClient, bucket string, within time.Duration,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return driver.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: bucket})
}

func expectSecond(
	t *testing.T, reason string, got proto.Message, err error, code codes.Code, want *cosiv1alpha2.DriverCreateBucketResponse,
) {
	t.Helper()
	if status.Code(err) != code {
		t.Errorf("%s call 2: %v, want %s", reason, err, code)
	}
	if want == nil {
		return
	}
	// An unknown field makes it larger.
	seen := proto.Clone(got)
	seen.ProtoReflect().SetUnknown(nil)
	if diff := cmp.Diff(proto.Message(want), seen, protocmp.Transform()); diff != "" {
		t.Errorf("%s response: -want, +got:\n%s", reason, diff)
	}
}

// TestRPCLostReply expects the real outcome in the journal, on both sides.
func TestRPCLostReply(t *testing.T) {
	client, server, j := twoLives(t)
	set := fault.NewSet()
	if err := set.Add(fault.Fault{
		Name: "f", Match: fault.Match{Seam: journal.SeamRPC}, Effect: fault.Effect{LoseReply: "Unavailable", Message: "gone"},
	}); err != nil {
		t.Fatal(err)
	}
	client.Inject(set, seam.Hooks{})
	server.Inject(set, seam.Hooks{})
	got, err := create(t, connectRPC(t, client, server, &mint{}), "b", harness.Timeout)
	if status.Code(err) != codes.Unavailable || got != nil {
		t.Errorf("the caller sees %v, %v; want only that it is unavailable", got, err)
	}
	want := []string{"driver DriverCreateBucket b OK", "sidecar DriverCreateBucket b Unavailable gone"}
	if diff := cmp.Diff(want, lines(j)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if event := j.Since(0)[1]; !strings.Contains(string(event.Response), `"region":"eu"`) {
		t.Errorf("the response of %s is %s, want the one that was lost", event, event.Response)
	}
}

// TestRPCHangHealed: a call without a deadline ends when the fault is removed.
func TestRPCHangHealed(t *testing.T) {
	client, server, _ := twoLives(t)
	set := fault.NewSet()
	if err := set.Add(fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamRPC}, Effect: fault.Effect{Hang: true}}); err != nil {
		t.Fatal(err)
	}
	client.Inject(set, seam.Hooks{})
	driver := connectRPC(t, client, server, &mint{})
	ended := make(chan error, 1)
	go func() {
		_, err := driver.DriverCreateBucket(context.Background(), &cosiv1alpha2.DriverCreateBucketRequest{})
		ended <- err
	}()
	expectHanging(t, set, ended)
	set.Clear()
	if err := <-ended; status.Code(err) != codes.Unavailable || errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v, want Unavailable", err)
	}
}
