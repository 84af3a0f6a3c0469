package fakedriver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestV1alpha1Serves calls each method of the specification, and others.
func TestV1alpha1Serves(t *testing.T) {
	conn := connect(t, fakedriver.Options{Dialect: dialects.V1alpha1})
	call := func(t *testing.T, method string) error {
		t.Helper()
		return conn.Invoke(t.Context(), method, &emptypb.Empty{}, &emptypb.Empty{})
	}
	// Spec: A1-RPC-1, A1-CREATE-1, A1-PROTO-3
	t.Run("specified", func(t *testing.T) {
		var methods []string
		for _, service := range []grpc.ServiceDesc{cosiv1alpha1.Identity_ServiceDesc, cosiv1alpha1.Provisioner_ServiceDesc} {
			for _, method := range service.Methods {
				methods = append(methods, "/"+service.ServiceName+"/"+method.MethodName)
			}
		}
		if len(methods) != 5 {
			t.Errorf("methods %v, want 5", methods)
		}
		for _, method := range methods {
			// The method itself rejects a call without its required fields.
			if err := call(t, method); status.Code(err) == codes.Unimplemented {
				t.Errorf("%s: %v", method, err)
			}
		}
	})
	// Spec: A1-RPC-2, A1-CODE-12
	t.Run("others", func(t *testing.T) {
		for _, method := range []string{
			"/cosi.v1alpha1.Provisioner/DriverListBuckets", "/cosi.v1alpha1.Identity/GetPluginInfo", "/cosi.v1alpha1.Node/Publish",
		} {
			err := call(t, method)
			wantCode(t, err, codes.Unimplemented)
			if name := method[strings.LastIndex(method, "/")+1:]; err != nil && !strings.Contains(err.Error(), name) &&
				!strings.Contains(err.Error(), "unknown service") {
				t.Errorf("the message %q does not say what is unknown", err)
			}
		}
	})
}

// TestV1alpha1Status makes a backend fail in each way. The caller gets a gRPC code, a message, and
// no details.
// Spec: A1-ERR-1
func TestV1alpha1Status(t *testing.T) {
	detailed, err := status.New(codes.PermissionDenied, "quota of another").WithDetails(&errdetails.ErrorInfo{Reason: "QUOTA"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		fails  func(context.Context) error
		want   *status.Status
	}{
		// Spec: A1-ERR-4
		"Details": {"They may be required in the future.", failing(detailed.Err()), status.New(codes.PermissionDenied, "quota of another")},
		// Spec: A1-ERR-3
		"Silent": {
			"A person has to read something.", failing(status.Error(codes.Aborted, "")),
			status.New(codes.Aborted, "the call failed, and there is no message"),
		},
		"Plain": {
			"It has no code.", failing(errors.New("hush")), status.New(codes.Internal, "the object store failed; see its log"),
		},
		"Panic": {
			"Nor has a panic.", func(context.Context) error { panic("hush") }, status.New(codes.Internal, "the object store failed; see its log"),
		},
		"Conflict": {"A bucket of another.", failing(fakedriver.ErrConflict), status.New(codes.AlreadyExists, "exists and differs")},
	} {
		t.Run(name, func(t *testing.T) {
			c := startOld(t, fakedriver.Options{Backend: broken{create: tc.fails}})
			_, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"})
			if diff := cmp.Diff(tc.want.Proto(), status.Convert(err).Proto(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nstatus (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Spec: A1-INFO-1, A1-INFO-2
func TestV1alpha1DriverName(t *testing.T) {
	for name, tc := range map[string]struct {
		driver string
		valid  bool
	}{
		"Example":  {"org.foo.whizbang.super-plugin", true},
		"Longest":  {strings.Repeat("a", 63), true},
		"Default":  {"", true},
		"TooLong":  {strings.Repeat("a", 64), false},
		"Dash":     {"a.example-", false},
		"Dot":      {".example", false},
		"Number":   {"1a.example", false},
		"TwoDots":  {"a..example", false},
		"Space":    {"a example", false},
		"Under":    {"a_b.example", false},
		"NonASCII": {"ä.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			options := fakedriver.Options{Dialect: dialects.V1alpha1, Name: tc.driver, Backend: newStore(t), Endpoint: endpoint}
			if _, err := fakedriver.New(options); (err == nil) != tc.valid {
				t.Fatalf("New() = %v, want valid: %t", err, tc.valid)
			}
			if !tc.valid {
				return
			}
			got, err := startOld(t, fakedriver.Options{Name: tc.driver}).DriverGetInfo(t.Context(), &cosiv1alpha1.DriverGetInfoRequest{})
			if want := options.Name; err != nil || got.GetName() == "" || want != "" && got.GetName() != want {
				t.Errorf("DriverGetInfo() = %v, %v", got, err)
			}
		})
	}
}

// TestV1alpha1ResponseSizes: responses for the longest possible names in requests meet the size
// limits, too.
// Spec: A1-SIZE-2
func TestV1alpha1ResponseSizes(t *testing.T) {
	c := startOld(t, fakedriver.Options{})
	longest := strings.Repeat("a", cosiv1alpha1.MaxString)
	created := c.create(t, longest)
	granted, err := c.DriverGrantBucketAccess(t.Context(), oldGrant(longest, created.GetBucketId()))
	if err != nil {
		t.Fatal(err)
	}
	for _, response := range []proto.Message{created, granted} {
		if err := cosiv1alpha1.CheckSizes(response); err != nil {
			t.Errorf("%T: %v", response, err)
		}
	}
	// Later requests contain the driver's responses.
	if _, err := c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha1.DriverRevokeBucketAccessRequest{
		BucketId: created.GetBucketId(), AccountId: granted.GetAccountId(),
	}); err != nil {
		t.Error(err)
	}
}

// TestV1alpha1Retry: a repeated call succeeds after a lost reply or a failure half-way, and the
// opposite call undoes it.
// Spec: A1-RETRY-1, A1-RETRY-2
func TestV1alpha1Retry(t *testing.T) {
	s := newStore(t)
	lost := errors.New("the answer is lost")
	var failure error
	lose := func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		response, err := handle(ctx, request)
		if err == nil && failure != nil {
			err, failure = failure, nil
		}
		return response, err
	}
	c := startOld(t, fakedriver.Options{Backend: s, ServerOptions: []grpc.ServerOption{grpc.ChainUnaryInterceptor(lose)}})
	for _, step := range []struct {
		name string
		call func() error
	}{
		{"create", func() error {
			_, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos", Parameters: note("x")})
			return err
		}},
		{"grant", func() error {
			_, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
			return err
		}},
		{"revoke", func() error {
			_, err := c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "photos", AccountId: "ba-1"})
			return err
		}},
		{"delete", func() error {
			_, err := c.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "photos"})
			return err
		}},
	} {
		failure = lost
		if err := step.call(); err == nil {
			t.Fatalf("%s does not fail, so this test shows nothing", step.name)
		}
		if err := step.call(); err != nil {
			t.Errorf("%s, repeated: %v", step.name, err)
		}
	}
	buckets, bucketsErr := s.Buckets(t.Context())
	accounts, accountsErr := s.Accounts(t.Context())
	if err := errors.Join(bucketsErr, accountsErr); err != nil || len(buckets)+len(accounts) > 0 {
		t.Errorf("left: buckets %v, accounts %v, %v", buckets, accounts, err)
	}
}

// TestV1alpha1Parallel: equal calls at the same time get the same answer.
// Spec: A1-CODE-10
func TestV1alpha1Parallel(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	const callers = 8
	created := make([]*cosiv1alpha1.DriverCreateBucketResponse, callers)
	granted := make([]*cosiv1alpha1.DriverGrantBucketAccessResponse, callers)
	errs := make([]error, 2*callers)
	var done sync.WaitGroup
	for i := range callers {
		done.Go(func() {
			created[i], errs[2*i] = c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"})
			granted[i], errs[2*i+1] = c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
		})
	}
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i := range callers {
		if diff := cmp.Diff(created[0], created[i], protocmp.Transform()); diff != "" {
			t.Errorf("Create (-first +other):\n%s", diff)
		}
		if diff := cmp.Diff(granted[0], granted[i], protocmp.Transform()); diff != "" {
			t.Errorf("Grant: the answers differ") // the difference is a secret
		}
	}
	buckets, bucketsErr := s.Buckets(t.Context())
	accounts, accountsErr := s.Accounts(t.Context())
	if err := errors.Join(bucketsErr, accountsErr); err != nil || len(buckets) != 1 || len(accounts) != 1 {
		t.Errorf("buckets %v, accounts %v, %v; want one of each", buckets, accounts, err)
	}
}

// TestSocketDirectory: a driver puts no other files beside its socket, which only its own user can
// open.
func TestSocketDirectory(t *testing.T) {
	dir := filepath.Join(harness.SocketDir(t), "run")
	target := "unix://" + filepath.Join(dir, "cosi.sock")
	l, err := fakedriver.Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	startOn(t, l, fakedriver.Options{Dialect: dialects.V1alpha1})
	c := cosiv1alpha1.NewProvisionerClient(dialConn(t, target))
	if _, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Spec: A1-SOCK-4
	t.Run("alone", func(t *testing.T) {
		if len(entries) != 1 || entries[0].Name() != "cosi.sock" || entries[0].Type() != os.ModeSocket {
			t.Errorf("the directory has %v", entries)
		}
	})
	// Spec: A1-SOCK-5
	t.Run("protected", func(t *testing.T) {
		for _, path := range []string{dir, filepath.Join(dir, "cosi.sock")} {
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: mode %v, %v; want none for others", path, info.Mode(), err)
			}
		}
	})
	// Spec: A1-PROTO-4
	t.Run("both services", func(t *testing.T) {
		conn := dialConn(t, target)
		_, err := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(t.Context(), &cosiv1alpha1.DriverGetInfoRequest{})
		wantCode(t, err, codes.OK)
		request := &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "photos"}
		_, err = cosiv1alpha1.NewProvisionerClient(conn).DriverDeleteBucket(t.Context(), request)
		wantCode(t, err, codes.OK)
	})
}

func TestValidateListenEndpoint(t *testing.T) {
	for name, tc := range map[string]struct {
		endpoint string
		valid    bool
	}{
		"Example":  {"unix:///path/to/unix/socket.sock", true},
		"NoSlash":  {"unix:/path/socket.sock", true},
		"NoSuffix": {"unix:///path/socket", false},
		"Inside":   {"unix:///path.sock/socket", false},
		"TCP":      {"tcp://127.0.0.1:1/cosi.sock", false},
		"Path":     {"/path/socket.sock", false},
		"Empty":    {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := fakedriver.ValidateListenEndpoint(tc.endpoint); (err == nil) != tc.valid {
				t.Errorf("ValidateListenEndpoint(%q) = %v, want valid: %t", tc.endpoint, err, tc.valid)
			}
		})
	}
}
