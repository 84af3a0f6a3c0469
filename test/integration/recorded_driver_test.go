package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// rpc is a call as a sidecar had it.
func rpc(seq uint64, method, request, response, outcome string) journal.Event {
	e := journal.Event{
		Seq: seq, Component: "sidecar", Seam: journal.SeamRPC, Operation: journal.Operation{Name: method},
		Request: json.RawMessage(request), Outcome: outcome,
	}
	if response != "" {
		e.Response = json.RawMessage(response)
	}
	if outcome != "OK" {
		e.Message = "it was not to be"
	}
	return e
}

func recorded() *recording.Recording {
	lost := rpc(6, "DriverDeleteBucket", `{"bucketId":"bc-`+uidA+`"}`, `{}`, "Unavailable")
	lost.Fault = "lost"
	return &recording.Recording{Header: recording.Header{Namespace: "photos-1"}, Events: []journal.Event{
		rpc(1, "DriverGetInfo", `{}`, `{"name":"vendor.photos-1"}`, "OK"),
		rpc(2, "DriverGenerateBucketId", `{"name":"bc-`+uidA+`"}`, `{"bucketId":"vendor-bc-`+uidA+`"}`, "OK"),
		rpc(3, "DriverCreateBucket", `{"bucketId":"bc-`+uidA+`","parameters":{"tier":"photos-1"}}`, "", "ResourceExhausted"),
		rpc(4, "DriverCreateBucket", `{"bucketId":"bc-`+uidA+`","parameters":{"tier":"photos-1"}}`, `{"protocols":{}}`, "OK"),
		rpc(5, "DriverGenerateBucketId", `{"name":"bc-`+uidB+`"}`, `{"bucketId":"other-bc-`+uidB+`"}`, "OK"),
		lost,
	}}
}

func TestStandin(t *testing.T) {
	others := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, others) })
	client := dial(t, replay.RecordedDriverOptions{Recording: recorded(), Sidecar: "sidecar", Name: "vendor.photos-7"})
	info, err := cosiv1alpha2.NewIdentityClient(client).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
	if err != nil || info.GetName() != "vendor.photos-7" {
		t.Errorf("DriverGetInfo: %v, %v; want the name of now", info, err)
	}
	const now, later = "cccccccc-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"
	driver := cosiv1alpha2.NewProvisionerClient(client)
	ids := func(uid string) string {
		response, err := driver.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "bc-" + uid})
		if err != nil {
			t.Error(err)
		}
		return response.GetBucketId()
	}
	// The first name of now is the first of then, and stays it.
	for _, uid := range []string{now, later, now} {
		want := "vendor-bc-" + uid
		if uid == later {
			want = "other-bc-" + uid
		}
		if got := ids(uid); got != want {
			t.Errorf("ID %q, want %q", got, want)
		}
	}
	t.Run("Errors", func(t *testing.T) { testErrors(t, driver, now) })
}

func testErrors(t *testing.T, driver cosiv1alpha2.ProvisionerClient, now string) {
	t.Helper()
	create := func() error {
		_, err := driver.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "bc-" + now, Parameters: map[string]string{"tier": "photos-7"},
		})
		return err
	}
	if err := create(); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "it was not to be") {
		t.Errorf("the first time: %v", err)
	}
	for range 2 { // the last answer stays
		if err := create(); err != nil {
			t.Errorf("later: %v", err)
		}
	}
	if _, err := driver.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "bc-" + now}); err != nil {
		t.Errorf("a reply that a fault has lost was given by the driver nevertheless: %v", err)
	}
	_, err := driver.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: "never"})
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "no answer to DriverGetBucket") {
		t.Errorf("what was never asked: %v", err)
	}
}

// TestRecordedDriverUnderFaults verifies that the driver answers as it did, whatever part of its answers a fault withheld.
func TestRecordedDriverUnderFaults(t *testing.T) {
	t.Parallel()
	const story = `
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: story
steps:
- repeat:
    times: 1
    steps: [{inject: {name: f, seam: rpc, operation: "Driver*", every: 1, EFFECT}}]
`
	full := codes.ResourceExhausted.String()
	for name, tc := range map[string]struct {
		reason, effect string
		want           []codes.Code // of the calls, as the driver gets them
	}{
		"Delay":     {"The driver failed, only later.", "delay: 1ms", []codes.Code{codes.ResourceExhausted, codes.OK}},
		"Duplicate": {"The driver is called twice.", "duplicate: true", []codes.Code{codes.ResourceExhausted, codes.ResourceExhausted, codes.OK}},
		"Interfere": {"The change is no answer.", "interfere: delete, object: Secret/a", []codes.Code{codes.ResourceExhausted, codes.OK}},
		"Fail":      {"The driver did not get the call.", "fail: " + full, []codes.Code{codes.OK}},
		"Hang":      {"Neither here.", "hang: true", []codes.Code{codes.OK}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := rpc(1, "DriverCreateBucket", `{"bucketId":"b"}`, "", full)
			failed.Fault = "f.photos-1"
			recorded := &recording.Recording{
				Header: recording.Header{Scenario: "story", Namespace: "photos-1", Files: []recording.File{{
					Name: "story.yaml", Content: strings.Replace(story, "EFFECT", tc.effect, 1),
				}}},
				Events: []journal.Event{failed, rpc(2, "DriverCreateBucket", `{"bucketId":"b"}`, `{}`, "OK")},
			}
			driver := cosiv1alpha2.NewProvisionerClient(dial(t, replay.RecordedDriverOptions{Recording: recorded, Sidecar: "sidecar"}))
			for i, want := range tc.want {
				_, err := driver.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "b"})
				if got := status.Code(err); got != want {
					t.Errorf("%s Call %d: %v, want %s", tc.reason, i+1, err, want)
				}
			}
		})
	}
}

// created is the response of the API server to the creation of a claim.
func created(scope, name, uid string) journal.Event {
	return journal.Event{
		Seq: 1, Seam: journal.SeamAPI, Operation: journal.Operation{Name: "create bucketclaims"},
		Response: json.RawMessage(fmt.Sprintf(`{"kind":"BucketClaim","metadata":{"name":%q,"namespace":%q,"uid":%q}}`, name, scope, uid)),
	}
}

// TestRecordedDriverByName: requests that differ only in UIDs, and come in another order, get the answers for the objects of the same
// names. Without names, the order decides.
func TestRecordedDriverByName(t *testing.T) {
	t.Parallel()
	const photos, videos = "cccccccc-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"
	recorded := &recording.Recording{Header: recording.Header{Namespace: "photos-1"}, Events: []journal.Event{
		created("photos-1", "photos", uidA), created("photos-1", "videos", uidB),
		rpc(2, "DriverCreateBucket", `{"bucketId":"bc-`+uidA+`"}`, `{}`, "OK"),
		rpc(3, "DriverCreateBucket", `{"bucketId":"bc-`+uidB+`"}`, "", "InvalidArgument"),
	}}
	names := []journal.Event{created("photos-7", "photos", photos), created("photos-7", "videos", videos)}
	for name, tc := range map[string]struct {
		events func(uint64) []journal.Event
		want   map[string]codes.Code
	}{
		"Names":   {func(uint64) []journal.Event { return names }, map[string]codes.Code{videos: codes.InvalidArgument, photos: codes.OK}},
		"Unknown": {nil, map[string]codes.Code{videos: codes.OK, photos: codes.InvalidArgument}},
	} {
		driver := cosiv1alpha2.NewProvisionerClient(dial(t, replay.RecordedDriverOptions{
			Recording: recorded, Sidecar: "sidecar", Events: tc.events,
		}))
		for _, uid := range []string{videos, photos} {
			_, err := driver.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-" + uid})
			if status.Code(err) != tc.want[uid] {
				t.Errorf("%s: DriverCreateBucket(%s) = %v, want %s", name, uid, err, tc.want[uid])
			}
		}
	}
}

// dial serves a stand-in in memory.
func dial(t *testing.T, options replay.RecordedDriverOptions) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- replay.NewRecordedDriver(options).Serve(ctx, listener) }()
	client, err := grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return client
}
