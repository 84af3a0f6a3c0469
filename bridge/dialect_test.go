package bridge_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// ownID is the ID that drivers choose which do not return names. v1alpha2 does not allow it.
func ownID(name string) string { return "loc:" + name }

// TestDetect: the bridge detects the driver's dialect, and leaves no bucket or account in the driver.
func TestDetect(t *testing.T) {
	for name, tc := range map[string]struct {
		driver *dialectdriver.Driver
		want   dialects.Dialect
	}{
		"NoModes":        {&dialectdriver.Driver{Dialect: dialects.NoModes}, dialects.OneMode},
		"OneMode":        {&dialectdriver.Driver{Dialect: dialects.OneMode}, dialects.OneMode},
		"OneModeStubs":   {&dialectdriver.Driver{Dialect: dialects.OneMode, Stubs: true}, dialects.OneMode},
		"NoGet":          {&dialectdriver.Driver{Dialect: dialects.OneMode, NoGet: true}, dialects.OneMode},
		"NoGetStubs":     {&dialectdriver.Driver{Dialect: dialects.OneMode, NoGet: true, Stubs: true}, dialects.OneMode},
		"OneModeGet":     {&dialectdriver.Driver{Dialect: dialects.OneModeGet}, dialects.OneModeGet},
		"OneModeGetStub": {&dialectdriver.Driver{Dialect: dialects.OneModeGet, Stubs: true}, dialects.OneModeGet},
		"BucketIDs":      {&dialectdriver.Driver{Dialect: dialects.BucketIDs}, dialects.BucketIDs},
		"KEP":            {&dialectdriver.Driver{Dialect: dialects.KEP}, dialects.KEP},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := bridge.Detect(t.Context(), tc.driver.Listen(t))
			if got != tc.want || err != nil {
				t.Errorf("dialect %s, %v, want %s", got, err, tc.want)
			}
			if left := tc.driver.Left(); left != nil {
				t.Errorf("the driver has %v", left)
			}
		})
	}
}

// TestDetectOld: the bridge reports the dialect once.
func TestDetectOld(t *testing.T) {
	driver := &oldDriver{}
	var detected []dialects.Dialect
	b := newBridge(t, bridge.Options{DialOptions: driver.dial(t), Detected: func(d dialects.Dialect) { detected = append(detected, d) }})
	for range 2 {
		if _, err := b.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]dialects.Dialect{dialects.V1alpha1}, detected); diff != "" {
		t.Errorf("detected (-want +got):\n%s", diff)
	}
	if len(driver.requests) > 0 {
		t.Errorf("the driver was asked: %v", driver.requests)
	}
}

// TestNotADriver: a server without COSI has no dialect.
func TestNotADriver(t *testing.T) {
	listener, server := bufconn.Listen(1<<20), grpc.NewServer()
	harness.ServeOn(t, server, listener)
	b := newBridge(t, bridge.Options{DialOptions: dialing(listener)})
	_, err := b.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
	if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "neither COSI v1alpha2 nor v1alpha1") {
		t.Errorf("error %v", err)
	}
}

// TestOtherDialectAfterRestart: the bridge asks again when the driver has restarted, and no call in
// the earlier dialect reaches the driver.
func TestOtherDialectAfterRestart(t *testing.T) {
	var current atomic.Pointer[bufconn.Listener]
	serve := func(driver *oldDriver, newer *dialectdriver.Driver) (stop func()) {
		listener, server := bufconn.Listen(1<<20), grpc.NewServer()
		if driver != nil {
			driver.register(server)
		} else {
			newer.Register(server)
		}
		served := make(chan error, 1)
		go func() { served <- server.Serve(listener) }()
		current.Store(listener)
		return func() {
			server.Stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
	}
	var detected []dialects.Dialect
	stop := serve(&oldDriver{credentials: s3Credentials()}, nil)
	b := newBridge(t, bridge.Options{
		DialOptions: []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return current.Load().DialContext(ctx)
		})},
		Detected: func(d dialects.Dialect) { detected = append(detected, d) },
	})
	if err := life[0].call(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	stop()
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode}
	t.Cleanup(serve(nil, driver))
	driver.AddBucket("bc-1")
	// A call that was about to use the old connection fails, and does not reach the new driver.
	ctx := harness.Context(t)
	err := life[1].call(ctx, b)
	for status.Code(err) == codes.Unavailable && ctx.Err() == nil {
		err = life[1].call(ctx, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]dialects.Dialect{dialects.V1alpha1, dialects.OneMode}, detected); diff != "" {
		t.Errorf("detected (-want +got):\n%s", diff)
	}
}

// lifeWithIDs are the calls of a v1alpha2 sidecar, with the IDs that it is given. Each call that
// creates is repeated.
func lifeWithIDs(ctx context.Context, b *bridge.Bridge) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	bucket, err := b.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "bc-1"})
	if err != nil {
		return nil, err
	}
	for range 2 {
		_, err = b.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: bucket.GetBucketId(), Protocols: []*cosiv1alpha2.ObjectProtocol{s3()},
		})
		if err != nil {
			return nil, err
		}
	}
	buckets := []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{readWrite(bucket.GetBucketId())}
	account, err := b.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: "ba-1", Protocol: s3(), AuthenticationType: key(), Buckets: buckets,
	})
	if err != nil {
		return nil, err
	}
	var granted *cosiv1alpha2.DriverGrantBucketAccessResponse
	for range 2 {
		granted, err = b.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
			AccountId: account.GetAccountId(), Protocol: s3(), AuthenticationType: key(), Buckets: buckets,
		})
		if err != nil {
			return nil, err
		}
	}
	if _, err := b.DriverRevokeBucketAccess(ctx, &cosiv1alpha2.DriverRevokeBucketAccessRequest{
		AccountId: account.GetAccountId(), Protocol: s3(), AuthenticationType: key(),
		Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: bucket.GetBucketId()}},
	}); err != nil {
		return nil, err
	}
	_, err = b.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: bucket.GetBucketId()})
	return granted, err
}

// TestDialects: the life of a bucket and an account with a driver of each dialect that chooses
// IDs, in the order of the driver's requests.
func TestDialects(t *testing.T) {
	create := func(id string) proto.Message {
		return &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Protocols: []*cosiv1alpha2.ObjectProtocol{s3()}}
	}
	oneMode := func(mode *dialects.AccessMode) proto.Message {
		return &dialects.GrantBucketAccessRequest{
			AccountName: "ba-1", Protocol: s3(), AuthenticationType: key(),
			Buckets: []*dialects.GrantBucketAccessRequest_AccessedBucket{{BucketId: "loc:bc-1", AccessMode: mode}},
		}
	}
	threeModes := func(account string) proto.Message {
		return &cosiv1alpha2.DriverGrantBucketAccessRequest{
			AccountId: account, Protocol: s3(), AuthenticationType: key(),
			Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{readWrite("loc:bc-1")},
		}
	}
	for dialect, want := range map[dialects.Dialect]struct {
		create, grant proto.Message
		bucket        string // as the sidecar knows it
	}{
		dialects.NoModes:    {create("bc-1"), oneMode(&dialects.AccessMode{}), "bc-1"},
		dialects.OneMode:    {create("bc-1"), oneMode(&dialects.AccessMode{Mode: dialects.AccessMode_READ_WRITE}), "bc-1"},
		dialects.OneModeGet: {create("bc-1"), oneMode(&dialects.AccessMode{Mode: dialects.AccessMode_READ_WRITE}), "bc-1"},
		dialects.BucketIDs:  {create("loc:bc-1"), threeModes("ba-1"), "loc:bc-1"},
		dialects.KEP:        {create("loc:bc-1"), threeModes("loc:ba-1"), "loc:bc-1"},
	} {
		t.Run(string(dialect), func(t *testing.T) {
			driver, store := &dialectdriver.Driver{Dialect: dialect, IDOf: ownID}, memory{}
			b := newBridge(t, bridge.Options{DialOptions: driver.Dial(t), Dialect: dialect, Store: store})
			info, err := b.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
			if err != nil || info.GetName() != dialectdriver.Name || info.GetSupportedProtocols()[0].GetType() != cosiv1alpha2.ObjectProtocol_S3 {
				t.Errorf("info %v, %v", info, err)
			}
			granted, err := lifeWithIDs(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			wantRequests := []proto.Message{
				want.create, want.create, want.grant, want.grant,
				&cosiv1alpha2.DriverRevokeBucketAccessRequest{
					AccountId: "loc:ba-1", Protocol: s3(), AuthenticationType: key(),
					Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: "loc:bc-1"}},
				},
				&cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "loc:bc-1"},
			}
			if diff := cmp.Diff(wantRequests, driver.Requests(), protocmp.Transform()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			got := []string{
				granted.GetBuckets()[0].GetBucketId(), granted.GetBuckets()[0].GetBucketInfo().GetS3().GetBucketId(),
				granted.GetCredentials().GetS3().GetAccessKeyId(),
			}
			if diff := cmp.Diff([]string{want.bucket, "s3-loc:bc-1", "key-of-loc:ba-1"}, got); diff != "" {
				t.Errorf("ID of the bucket, its name for applications, key (-want +got):\n%s", diff)
			}
			if left := driver.Left(); left != nil || len(store) > 0 {
				t.Errorf("left at the driver: %v, in the store: %v", left, store)
			}
		})
	}
}

// TestCreateResponse: the protocols have another number in each dialect.
func TestCreateResponse(t *testing.T) {
	for _, dialect := range dialects.All()[1:] {
		driver := &dialectdriver.Driver{Dialect: dialect}
		b := newBridge(t, bridge.Options{DialOptions: driver.Dial(t), Dialect: dialect})
		response, err := b.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-1"})
		if err != nil || response.GetProtocols().GetS3().GetBucketId() != "s3-bc-1" {
			t.Errorf("%s: %v, %v", dialect, response, err)
		}
	}
}

// modes are the modes of the three categories.
type modes [3]cosiv1alpha2.AccessMode_Mode

// Modes under short names, for the tables.
const (
	anyMode = cosiv1alpha2.AccessMode_ANY
	rw      = cosiv1alpha2.AccessMode_READ_WRITE
	ro      = cosiv1alpha2.AccessMode_READ_ONLY
	wo      = cosiv1alpha2.AccessMode_WRITE_ONLY
)

// wantOneMode has the combinations that a dialect with one mode can express. All others are rejected.
var wantOneMode = map[modes]string{
	{anyMode, anyMode, anyMode}: "READ_ONLY",
	{rw, anyMode, anyMode}:      "READ_WRITE", {anyMode, rw, anyMode}: "READ_WRITE", {anyMode, anyMode, rw}: "READ_WRITE",
	{ro, anyMode, anyMode}: "READ_ONLY", {anyMode, ro, anyMode}: "READ_ONLY", {anyMode, anyMode, ro}: "READ_ONLY",
	{wo, anyMode, anyMode}: "WRITE_ONLY", {anyMode, wo, anyMode}: "WRITE_ONLY", {anyMode, anyMode, wo}: "WRITE_ONLY",
	{rw, rw, anyMode}: "READ_WRITE", {rw, anyMode, rw}: "READ_WRITE", {anyMode, rw, rw}: "READ_WRITE", {rw, rw, rw}: "READ_WRITE",
	{ro, ro, anyMode}: "READ_ONLY", {ro, anyMode, ro}: "READ_ONLY", {anyMode, ro, ro}: "READ_ONLY", {ro, ro, ro}: "READ_ONLY",
	{wo, wo, anyMode}: "WRITE_ONLY", {wo, anyMode, wo}: "WRITE_ONLY", {anyMode, wo, wo}: "WRITE_ONLY", {wo, wo, wo}: "WRITE_ONLY",
}

// allModes are all combinations of modes, also of unknown ones.
func allModes() []modes {
	values := []cosiv1alpha2.AccessMode_Mode{cosiv1alpha2.AccessMode_UNKNOWN, anyMode, rw, ro, wo, 17}
	var all []modes
	for _, data := range values {
		for _, objectMetadata := range values {
			for _, bucketMetadata := range values {
				all = append(all, modes{data, objectMetadata, bucketMetadata})
			}
		}
	}
	return all
}

// TestModes: the mode that a driver gets for the modes of the three categories, or a rejection.
func TestModes(t *testing.T) {
	same := func(asked modes) string { return asked[0].String() + " " + asked[1].String() + " " + asked[2].String() }
	one := func(asked modes) string { return wantOneMode[asked] }
	for dialect, want := range map[dialects.Dialect]func(modes) string{
		dialects.NoModes: func(asked modes) string {
			if onlyReadWrite(asked) {
				return "UNKNOWN"
			}
			return ""
		},
		dialects.OneMode: one, dialects.OneModeGet: one, dialects.BucketIDs: same, dialects.KEP: same,
	} {
		driver := &dialectdriver.Driver{Dialect: dialect}
		b := newBridge(t, bridge.Options{DialOptions: driver.Dial(t), Dialect: dialect})
		driver.AddBucket("bc-1")
		for _, asked := range allModes() {
			before := len(driver.Requests())
			_, err := b.DriverGrantBucketAccess(t.Context(), grantRequest(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
				r.Buckets[0].ObjectDataAccessMode, r.Buckets[0].ObjectMetadataAccessMode = mode(asked[0]), mode(asked[1])
				r.Buckets[0].BucketMetadataAccessMode = mode(asked[2])
			}))
			asks, want := len(driver.Requests())-before, want(asked)
			switch {
			case want == "" && (status.Code(err) != codes.InvalidArgument || asks > 0):
				t.Errorf("%s %v: %v, %d calls, want INVALID_ARGUMENT and no call", dialect, asked, err, asks)
			case want != "" && (err != nil || driver.Modes()["bc-1"] != want):
				t.Errorf("%s %v: %v, mode %s, want %s", dialect, asked, err, driver.Modes()["bc-1"], want)
			}
		}
	}
}

func onlyReadWrite(asked modes) bool {
	for _, m := range asked {
		if m != anyMode && m != rw {
			return false
		}
	}
	return true
}

// TestModesRejected: the error has the two modes, and what to do.
func TestModesRejected(t *testing.T) {
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode}
	b := newBridge(t, bridge.Options{DialOptions: driver.Dial(t)})
	_, err := b.DriverGenerateBucketAccessId(t.Context(), &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: "ba-1", Protocol: s3(), AuthenticationType: key(),
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: "bc-1", ObjectDataAccessMode: mode(cosiv1alpha2.AccessMode_READ_WRITE),
			ObjectMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY), BucketMetadataAccessMode: mode(cosiv1alpha2.AccessMode_READ_ONLY),
		}},
	})
	want := status.Error(codes.InvalidArgument, "bucket bc-1: access mode READ_WRITE for object data and READ_ONLY for bucket metadata: "+
		"a driver of COSI v1alpha2, dialect one-mode has one mode for a bucket; ask for the same mode, or leave one out")
	if diff := cmp.Diff(want.Error(), err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSeveralBuckets: one account for two buckets, whose IDs the driver has chosen.
func TestSeveralBuckets(t *testing.T) {
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: ownID}
	b := newBridge(t, bridge.Options{DialOptions: driver.Dial(t)})
	for _, id := range []string{"bc-1", "bc-2"} {
		if _, err := b.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id}); err != nil {
			t.Fatal(err)
		}
	}
	granted, err := b.DriverGrantBucketAccess(t.Context(), grantRequest(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
		second := readWrite("bc-2")
		second.ObjectDataAccessMode = mode(cosiv1alpha2.AccessMode_READ_ONLY)
		r.Buckets = append(r.Buckets, second)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"loc:bc-1": "READ_WRITE", "loc:bc-2": "READ_ONLY"}, driver.Modes()); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	got := []string{granted.GetBuckets()[0].GetBucketId(), granted.GetBuckets()[1].GetBucketId()}
	if diff := cmp.Diff([]string{"bc-1", "bc-2"}, got); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	if _, err := b.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha2.DriverRevokeBucketAccessRequest{
		AccountId: "ba-1", Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: "bc-1"}, {BucketId: "bc-2"}},
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"bucket loc:bc-1 of bc-1", "bucket loc:bc-2 of bc-2"}, driver.Left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestExistingOfDialect: a driver looks existing buckets up, and may know them by another ID
// afterwards. A driver that cannot is asked for none, or rejects them.
func TestExistingOfDialect(t *testing.T) {
	for name, tc := range map[string]struct {
		driver *dialectdriver.Driver
		assume bool
		bucket string // that the sidecar asks for
		code   codes.Code
		want   string // ID in the driver's next request
	}{
		"NoModes":    {&dialectdriver.Driver{Dialect: dialects.NoModes}, false, "photos", codes.OK, "photos"},
		"OneMode":    {&dialectdriver.Driver{Dialect: dialects.OneMode}, false, "photos", codes.OK, "photos"},
		"OneModeGet": {&dialectdriver.Driver{Dialect: dialects.OneModeGet}, false, "photos", codes.OK, "photos"},
		"BucketIDs":  {&dialectdriver.Driver{Dialect: dialects.BucketIDs}, false, "photos", codes.OK, "photos"},
		"KEP":        {&dialectdriver.Driver{Dialect: dialects.KEP}, false, "photos", codes.OK, "photos"},
		"OwnID":      {&dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: ownID}, false, "photos", codes.OK, "loc:photos"},
		"OwnIDGet":   {&dialectdriver.Driver{Dialect: dialects.OneModeGet, IDOf: ownID}, false, "photos", codes.OK, "loc:photos"},
		"Missing":    {&dialectdriver.Driver{Dialect: dialects.OneMode}, false, "videos", codes.NotFound, ""},
		"NoGet":      {&dialectdriver.Driver{Dialect: dialects.OneMode, NoGet: true}, false, "photos", codes.Unimplemented, ""},
		"Assumed":    {&dialectdriver.Driver{Dialect: dialects.OneMode, NoGet: true, Stubs: true}, true, "photos", codes.OK, "photos"},
		"NotAssumed": {&dialectdriver.Driver{Dialect: dialects.OneMode}, true, "videos", codes.NotFound, ""},
		"Encoded": {
			&dialectdriver.Driver{Dialect: dialects.OneMode}, false, bridge.EncodeExisting("a:photos", "a:photos"), codes.OK, "a:photos",
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory{}
			b := newBridge(t, bridge.Options{
				DialOptions: tc.driver.Dial(t), Dialect: tc.driver.Dialect, AssumeExisting: tc.assume, Store: store,
			})
			tc.driver.AddBucket("photos")
			tc.driver.AddBucket("a:photos")
			for range 2 {
				found, err := b.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: tc.bucket})
				if status.Code(err) != tc.code || err == nil && found.GetProtocols().GetS3() == nil {
					t.Fatalf("%v, %v, want %s", found, err, tc.code)
				}
			}
			if tc.code != codes.OK {
				return
			}
			if _, err := b.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: tc.bucket}); err != nil {
				t.Fatal(err)
			}
			requests := tc.driver.Requests()
			want := proto.Message(&cosiv1alpha2.DriverDeleteBucketRequest{BucketId: tc.want})
			if diff := cmp.Diff(want, requests[len(requests)-1], protocmp.Transform()); diff != "" || len(store) > 0 {
				t.Errorf("in the store: %v; request (-want +got):\n%s", store, diff)
			}
		})
	}
}

// TestUpgrade: a driver that speaks the KEP's dialect now gets the IDs that it has chosen before.
func TestUpgrade(t *testing.T) {
	store := memory{}
	before := &dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: ownID}
	b := newBridge(t, bridge.Options{DialOptions: before.Dial(t), Store: store})
	for _, step := range life[:2] {
		if err := step.call(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	after := &dialectdriver.Driver{Dialect: dialects.KEP}
	b = newBridge(t, bridge.Options{DialOptions: after.Dial(t), Store: store})
	for _, step := range life {
		if err := step.call(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, request := range after.Requests() {
		switch r := request.(type) {
		case *cosiv1alpha2.DriverCreateBucketRequest:
			got = append(got, r.GetBucketId())
		case *cosiv1alpha2.DriverGrantBucketAccessRequest:
			got = append(got, r.GetAccountId(), r.GetBuckets()[0].GetBucketId())
		}
	}
	if diff := cmp.Diff([]string{"loc:bc-1", "loc:ba-1", "loc:bc-1"}, got); diff != "" {
		t.Errorf("IDs of bucket, account and its bucket (-want +got):\n%s", diff)
	}
}

func TestParseDialect(t *testing.T) {
	for _, dialect := range dialects.All() {
		if got, err := dialects.Parse(string(dialect)); got != dialect || err != nil {
			t.Errorf("%s: %s, %v", dialect, got, err)
		}
	}
	want := `"m": the dialects are v1alpha1, no-modes, one-mode, one-mode-get, bucket-ids, kep`
	if _, err := dialects.Parse("m"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
