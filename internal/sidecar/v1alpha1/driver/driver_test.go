package driver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const driverName = "old.test"

func connect(t *testing.T, server *drivertest.Server, change ...func(*connection.Options)) (*driver.Driver, error) {
	t.Helper()
	options := connection.Options{
		Endpoint: drivertest.Endpoint, DialOptions: server.DialOptions(), ConnectTimeout: harness.Timeout, RPCTimeout: harness.Timeout,
	}
	for _, f := range change {
		f(&options)
	}
	d, err := driver.Connect(t.Context(), options)
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

func start(t *testing.T) (*driver.Driver, *drivertest.V1alpha1) {
	t.Helper()
	server := drivertest.StartV1alpha1(t, driverName)
	d, err := connect(t, server.Server)
	if err != nil {
		t.Fatal(err)
	}
	return d, server
}

// call is one of the mutating calls, with parameters.
type call struct {
	method string
	// isFinal means that a rejection is final.
	isFinal bool
	do      func(ctx context.Context, d *driver.Driver, parameters map[string]string) error
	want    func(parameters map[string]string) proto.Message
}

var calls = []call{
	{
		"DriverCreateBucket", true,
		func(ctx context.Context, d *driver.Driver, parameters map[string]string) error {
			_, err := d.CreateBucket(ctx, "photos", parameters)
			return err
		},
		func(parameters map[string]string) proto.Message {
			return &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos", Parameters: parameters}
		},
	},
	{
		"DriverGrantBucketAccess", true,
		func(ctx context.Context, d *driver.Driver, parameters map[string]string) error {
			_, err := d.GrantBucketAccess(ctx, driver.Access{
				BucketID: drivertest.V1alpha1BucketID("photos"), Name: "ba-1",
				Authentication: v1alpha1.AuthenticationTypeKey, Parameters: parameters,
			})
			return err
		},
		func(parameters map[string]string) proto.Message {
			return &cosiv1alpha1.DriverGrantBucketAccessRequest{
				BucketId: drivertest.V1alpha1BucketID("photos"), Name: "ba-1",
				AuthenticationType: cosiv1alpha1.AuthenticationType_Key, Parameters: parameters,
			}
		},
	},
	{
		"DriverRevokeBucketAccess", false,
		func(ctx context.Context, d *driver.Driver, _ map[string]string) error {
			return d.RevokeBucketAccess(ctx, drivertest.V1alpha1BucketID("photos"), drivertest.V1alpha1AccountID("ba-1"))
		},
		func(map[string]string) proto.Message { // v0.2 sends no context
			return &cosiv1alpha1.DriverRevokeBucketAccessRequest{
				BucketId: drivertest.V1alpha1BucketID("photos"), AccountId: drivertest.V1alpha1AccountID("ba-1"),
			}
		},
	},
	{
		"DriverDeleteBucket", false,
		func(ctx context.Context, d *driver.Driver, parameters map[string]string) error {
			return d.DeleteBucket(ctx, drivertest.V1alpha1BucketID("photos"), parameters)
		},
		func(parameters map[string]string) proto.Message {
			return &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: drivertest.V1alpha1BucketID("photos"), DeleteContext: parameters}
		},
	},
}

// TestRequests: the driver receives all required fields, and unchanged parameters.
// Spec: A1-CREATE-4, A1-CREATE-7, A1-FIELD-1, A1-FLOW-8, A1-SECRET-2
func TestRequests(t *testing.T) {
	d, server := start(t)
	parameters := map[string]string{"tier": "gold", "Odd key / ü": "{{any}} \"text\"\n", "empty": ""}
	for _, c := range calls {
		if err := c.do(t.Context(), d, parameters); err != nil {
			t.Fatalf("%s: %v", c.method, err)
		}
		got := server.Calls(c.method)
		if len(got) != 1 {
			t.Fatalf("%s: %d calls, want 1", c.method, len(got))
		}
		if diff := cmp.Diff(c.want(parameters), got[0].Request, protocmp.Transform()); diff != "" {
			t.Errorf("%s: request (-want +got):\n%s", c.method, diff)
		}
	}
}

// Spec: A1-SIZE-1
func TestSizes(t *testing.T) {
	d, server := start(t)
	for _, c := range calls {
		if c.method == "DriverRevokeBucketAccess" {
			continue // it has no parameters
		}
		if err := c.do(t.Context(), d, map[string]string{"key": strings.Repeat("x", cosiv1alpha1.MaxMap-3)}); err != nil {
			t.Errorf("%s with 4 KiB: %v", c.method, err)
		}
		before := len(server.Calls())
		err := c.do(t.Context(), d, map[string]string{"key": strings.Repeat("x", cosiv1alpha1.MaxMap-2)})
		const says = "it was not sent, because the keys and values of parameters have 4097 bytes, more than 4096"
		if connection.CodeOf(err) != codes.InvalidArgument || !strings.Contains(err.Error(), says) || connection.IsTerminal(err) != c.isFinal {
			t.Errorf("%s with one byte more: %v, want a rejection, final: %t", c.method, err, c.isFinal)
		}
		if n := len(server.Calls()) - before; n > 0 {
			t.Errorf("%s was sent", c.method)
		}
	}
}

// TestStatus: of a failure, COSI shows the code and the message, without secrets in URLs, and never
// the details.
func TestStatus(t *testing.T) {
	detailed, err := status.New(codes.OutOfRange, "too large").WithDetails(&errdetails.ErrorInfo{Reason: "hush"})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		answer error
		want   string
	}{
		// Spec: A1-ERR-3
		"Message": {status.Error(codes.Aborted, "another call is pending"), "failed with Aborted: another call is pending"},
		"Silent":  {status.Error(codes.Internal, ""), "failed with Internal: no message"},
		// Spec: A1-ERR-4
		"Details": {detailed.Err(), "failed with OutOfRange: too large"},
		// Spec: A1-SECRET-3
		"Secret": {status.Error(codes.Internal, "GET https://s3/b?X-Amz-Signature=hush: 403"), "failed with Internal: GET https://s3/b?... 403"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, server := start(t)
			for _, c := range calls {
				server.Script(c.method, func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) { return nil, tc.answer })
				err := c.do(t.Context(), d, nil)
				if err == nil || err.Error() != c.method+" "+tc.want {
					t.Errorf("error %v, want %s %s", err, c.method, tc.want)
				}
			}
		})
	}
}

// Spec: A1-INFO-2
func TestDriverName(t *testing.T) {
	for name, tc := range map[string]struct{ driver, says string }{
		"Example":   {driver: "org.foo.whizbang.super-plugin"},
		"UpperCase": {driver: "Foo.Example.COM"},
		"Longest":   {driver: strings.Repeat("a", 63)},
		"Number":    {driver: "3par.example.com"},
		"Empty":     {"", "is no domain name"},
		"TooLong":   {strings.Repeat("a", 64), "64 characters long; the limit is 63"},
		"Dash":      {"foo.example-", "is no domain name"},
		"Dot":       {".example", "is no domain name"},
		"Under":     {"foo_bar", "is no domain name"},
		"Slash":     {"foo/bar", "is no domain name"},
		"Space":     {"foo bar", "is no domain name"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := connect(t, drivertest.StartV1alpha1(t, tc.driver).Server)
			switch {
			case tc.says == "" && (err != nil || d.Name() != tc.driver):
				t.Errorf("Connect() = %v", err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || !connection.IsInvalidResponse(err)):
				t.Errorf("Connect() = %v, want an error with %q", err, tc.says)
			}
		})
	}
}

// TestDriverStartsLater: a driver is found when it starts to listen, and first asked for its
// identity.
// Spec: A1-CONFIG-5
func TestDriverStartsLater(t *testing.T) {
	server := drivertest.StartV1alpha1(t, driverName)
	server.Stop()
	var (
		d    *driver.Driver
		err  error
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		d, err = connect(t, server.Server)
	}()
	harness.Until(t, "the sidecar looks for the driver", func(context.Context) (bool, error) { return server.Dials() > 0, nil })
	server.Serve()
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.CreateBucket(t.Context(), "photos", nil); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"DriverGetInfo", "DriverCreateBucket"}, server.Methods()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestGeneration: a driver of another generation is recognized.
func TestGeneration(t *testing.T) {
	other := drivertest.Start(t, "new.test")
	_, err := connect(t, other.Server)
	if !errors.Is(err, driver.ErrGeneration) || !strings.Contains(err.Error(), "run the sidecar of v1alpha2") {
		t.Errorf("a driver of v1alpha2: %v", err)
	}
	other.Fail("DriverGetInfo", codes.Unimplemented, "unknown service")
	if _, err := connect(t, other.Server); !errors.Is(err, driver.ErrGeneration) || !strings.Contains(err.Error(), "is it a COSI driver?") {
		t.Errorf("a driver of neither: %v", err)
	}
}

// TestAnswers: required and tolerated contents of a response.
func TestAnswers(t *testing.T) {
	created := func(id string) proto.Message { return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: id} }
	granted := func(id string) proto.Message { return &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: id} }
	create, grant := calls[0], calls[1]
	for name, tc := range map[string]struct {
		reason string
		call   call
		answer proto.Message
		says   string
	}{
		"NoBucketInfo": {reason: "Many drivers return none.", call: create, answer: created("photos")},
		"OpaqueID":     {reason: "An ID is the driver's own.", call: create, answer: created("arn:aws:s3:::a/b c")},
		// Spec: A1-SIZE-3
		"LongID":    {reason: "Longer ones than 128 bytes are in use.", call: create, answer: created(strings.Repeat("x", 2048))},
		"TooLongID": {"This is an error of the driver.", create, created(strings.Repeat("x", 2049)), "the limit is 2048"},
		// Spec: A1-CREATE-6
		"NoBucketID": {"Nothing could be deleted.", create, created(""), "it has no bucket ID"},
		// Spec: A1-GRANT-4
		"NoAccountID":   {"Nothing could be revoked.", grant, granted(""), "it has no account ID"},
		"ControlID":     {"It would end up in Events.", grant, granted("a\nb"), "control characters"},
		"NoCredentials": {reason: "What is done about it depends on the authentication type.", call: grant, answer: granted("ba-1")},
	} {
		t.Run(name, func(t *testing.T) {
			d, server := start(t)
			server.Answer(tc.call.method, tc.answer)
			err := tc.call.do(t.Context(), d, nil)
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("%s\n%v", tc.reason, err)
			case tc.says != "" && (!connection.IsInvalidResponse(err) || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("%s\nerror %v, want an invalid response with %q", tc.reason, err, tc.says)
			}
		})
	}
}

// TestDeadline: every call to a driver ends, and can be retried then.
// Spec: A1-CALLS-3
func TestDeadline(t *testing.T) {
	server := drivertest.StartV1alpha1(t, driverName)
	d, err := connect(t, server.Server, func(o *connection.Options) { o.RPCTimeout = 50 * time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		server.Hang(c.method)
		if err := c.do(t.Context(), d, nil); connection.CodeOf(err) != codes.DeadlineExceeded || connection.IsTerminal(err) {
			t.Errorf("%s of a driver that hangs: %v", c.method, err)
		}
	}
}

// TestGoneAlready: deletion and revocation succeed if their target does not exist.
// Spec: A1-DELETE-1
func TestGoneAlready(t *testing.T) {
	d, _ := start(t)
	for _, c := range calls[2:] {
		if err := c.do(t.Context(), d, nil); err != nil {
			t.Errorf("%s of what never existed: %v", c.method, err)
		}
	}
}

// Spec: A1-GRANT-3
func TestAuthenticationType(t *testing.T) {
	d, server := start(t)
	want := map[v1alpha1.AuthenticationType]cosiv1alpha1.AuthenticationType{
		v1alpha1.AuthenticationTypeKey: cosiv1alpha1.AuthenticationType_Key, v1alpha1.AuthenticationTypeIAM: cosiv1alpha1.AuthenticationType_IAM,
		// v0.2 sends other spellings to a driver as unknown.
		"KEY": cosiv1alpha1.AuthenticationType_UnknownAuthenticationType, "iam": cosiv1alpha1.AuthenticationType_UnknownAuthenticationType,
	}
	server.AddBucket("photos")
	for given, sent := range want {
		if _, err := d.GrantBucketAccess(t.Context(), driver.Access{BucketID: "photos", Name: "ba-1", Authentication: given}); err != nil {
			t.Fatal(err)
		}
		calls := server.Calls("DriverGrantBucketAccess")
		got, _ := calls[len(calls)-1].Request.(*cosiv1alpha1.DriverGrantBucketAccessRequest)
		if got.GetAuthenticationType() != sent {
			t.Errorf("%s is sent as %s, want %s", given, got.GetAuthenticationType(), sent)
		}
	}
}

// TestServes: letter case of a driver's name does not matter.
// Spec: A1-INFO-3
func TestServes(t *testing.T) {
	d, _ := start(t)
	for name, want := range map[string]bool{driverName: true, "OLD.test": true, "older.test": false, "": false} {
		if got := d.Serves(name); got != want {
			t.Errorf("Serves(%q) = %t", name, got)
		}
	}
}
