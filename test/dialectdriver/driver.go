package dialectdriver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Name is the name of the driver.
const Name = "dialect.example.com"

// Driver is an idempotent driver. Set its fields before Register, Dial or Listen.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer

	// Dialect is any of v1alpha2.
	Dialect dialects.Dialect
	// IDOf returns the driver's ID for a name. The default is the name.
	IDOf func(name string) string
	// NoGet leaves out the call for existing buckets.
	NoGet bool
	// Stubs has the driver answer the calls that its dialect lacks, as code with generated stubs
	// of a union of the dialects does. Otherwise they are unknown methods.
	Stubs bool

	mu       sync.Mutex
	buckets  map[string]string // names, by ID
	accounts map[string]string // names, by ID
	modes    map[string]string // modes that the latest grant requested, by ID of the bucket
	requests []proto.Message
}

// Register adds the services of the driver to a server.
func (d *Driver) Register(server *grpc.Server) {
	if d.IDOf == nil {
		d.IDOf = func(name string) string { return name }
	}
	if d.buckets == nil { // otherwise it has been served before, perhaps in another dialect
		d.buckets, d.accounts, d.modes = map[string]string{}, map[string]string{}, map[string]string{}
	}
	cosiv1alpha2.RegisterIdentityServer(server, d)
	described := d.Dialect.Provisioner()
	if d.Stubs {
		described.Methods = d.union()
	}
	if d.NoGet && !d.Stubs {
		described.Methods = slices.DeleteFunc(slices.Clone(described.Methods), func(m grpc.MethodDesc) bool {
			return m.MethodName == "DriverGetBucket" || m.MethodName == "DriverGetExistingBucket"
		})
	}
	server.RegisterService(&described, d.provisioner())
}

// provisioner is the service of the dialect.
func (d *Driver) provisioner() any {
	switch d.Dialect {
	case dialects.KEP:
		return &kep{Driver: d}
	case dialects.BucketIDs:
		return &bucketIDs{Driver: d}
	default:
		return &oneCall{Driver: d}
	}
}

// union returns the methods of the dialect, and stubs of those that similar dialects have.
func (d *Driver) union() []grpc.MethodDesc {
	if d.Dialect == dialects.KEP || d.Dialect == dialects.BucketIDs {
		return d.Dialect.Provisioner().Methods
	}
	return dialects.OneCall_ServiceDesc.Methods
}

// Dial serves the driver until the test ends, and returns options for a client's connection.
func (d *Driver) Dial(tb testing.TB) []grpc.DialOption {
	tb.Helper()
	listener := bufconn.Listen(1 << 20)
	d.serve(tb, listener)
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	})}
}

// Listen serves the driver until the test ends, and returns its endpoint.
func (d *Driver) Listen(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "d.sock")
	d.ListenAt(tb, path)
	return "unix://" + path
}

// ListenAt serves the driver on a socket until the test ends or stop is called.
func (d *Driver) ListenAt(tb testing.TB, path string) (stop func()) {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	return d.serve(tb, listener)
}

func (d *Driver) serve(tb testing.TB, listener net.Listener) (stop func()) {
	tb.Helper()
	server := grpc.NewServer()
	d.Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	stop = sync.OnceFunc(func() {
		server.Stop()
		if err := <-served; err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(stop)
	return stop
}

// AddBucket makes a bucket that exists without COSI.
func (d *Driver) AddBucket(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buckets[id] = id
}

// Left lists the buckets and accounts that the driver has.
func (d *Driver) Left() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []string
	for _, id := range slices.Sorted(maps.Keys(d.buckets)) {
		left = append(left, fmt.Sprintf("bucket %s of %s", id, d.buckets[id]))
	}
	for _, id := range slices.Sorted(maps.Keys(d.accounts)) {
		left = append(left, fmt.Sprintf("account %s of %s", id, d.accounts[id]))
	}
	return left
}

// Modes returns the modes of the latest grant, by ID of the bucket.
func (d *Driver) Modes() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.modes)
}

// Requests returns the requests to the Provisioner so far.
func (d *Driver) Requests() []proto.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.requests)
}

// DriverGetInfo implements cosiv1alpha2.IdentityServer.
func (*Driver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name: Name, SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
	}, nil
}

// create makes a bucket and returns its ID.
func (d *Driver) create(request *cosiv1alpha2.DriverCreateBucketRequest, id string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, request)
	if id == "" {
		return "", status.Error(codes.InvalidArgument, "no name")
	}
	d.buckets[id] = request.GetBucketId()
	return id, nil
}

func (d *Driver) get(request *cosiv1alpha2.DriverGetBucketRequest) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, request)
	switch id := request.GetBucketId(); {
	case id == "":
		return status.Error(codes.InvalidArgument, "no ID")
	case d.buckets[id] == "":
		return status.Errorf(codes.NotFound, "no bucket %s", id)
	}
	return nil
}

// grant creates an account with the request's modes, by ID of the bucket.
func (d *Driver) grant(request proto.Message, name, id string, modes map[string]string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, request)
	if name == "" {
		return "", status.Error(codes.InvalidArgument, "no name")
	}
	for bucket := range modes {
		if d.buckets[bucket] == "" {
			return "", status.Errorf(codes.NotFound, "no bucket %s", bucket)
		}
	}
	d.accounts[id], d.modes = name, modes
	return id, nil
}

// DriverDeleteBucket implements the call of all dialects.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, request)
	delete(d.buckets, request.GetBucketId())
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
}

// DriverRevokeBucketAccess implements the call of all dialects.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, request)
	delete(d.accounts, request.GetAccountId())
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}

// s3Info is the info of a bucket.
func s3Info(id string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: "s3-" + id, Endpoint: "https://s3.example.com", Region: "eu-1",
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
	}}
}

func infosOf(modes map[string]string) []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo {
	var infos []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo
	for _, id := range slices.Sorted(maps.Keys(modes)) {
		infos = append(infos, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{BucketId: id, BucketInfo: s3Info(id)})
	}
	return infos
}

func credentialsOf(account string) *cosiv1alpha2.CredentialInfo {
	return &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "key-of-" + account, AccessSecretKey: "hush"}}
}
