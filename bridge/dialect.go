package bridge

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Detect asks a driver for its dialect. Its calls create nothing: they lack the name or ID.
// It returns dialects.OneMode for a driver of dialects.NoModes: both have the same calls.
func Detect(ctx context.Context, endpoint string) (dialect dialects.Dialect, err error) {
	conn, err := connect(endpoint, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return dialects.Detect(ctx, conn)
}

// detection is the dialect of the driver at the other end of the current connection. A driver
// that restarts may speak another one, in which the same bytes mean something else. So calls are
// pinned to the connection on which the dialect was asked for.
type detection struct {
	mu         sync.Mutex
	dialect    dialects.Dialect // empty if not known
	last       dialects.Dialect // the latest that was known
	connection int              // counts the connections
}

var _ credentials.PerRPCCredentials = &detection{}

// reset forgets the dialect when a connection begins.
func (d *detection) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialect = ""
	d.connection++
}

func (d *detection) known() (dialect dialects.Dialect, connection int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dialect, d.connection
}

// set stores the dialect of a connection, unless another has begun meanwhile. It reports whether
// the dialect is another one than before.
func (d *detection) set(dialect dialects.Dialect, connection int) (changed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if connection != d.connection {
		return false
	}
	changed = dialect != d.last
	d.dialect, d.last = dialect, dialect
	return changed
}

// pinKey is the key of a context with the connection to which a call is pinned.
type pinKey struct{}

// pinned makes calls on one connection only.
type pinned struct {
	*grpc.ClientConn

	connection int
}

// Invoke implements grpc.ClientConnInterface.
func (p pinned) Invoke(ctx context.Context, method string, request, response any, options ...grpc.CallOption) error {
	return p.ClientConn.Invoke(context.WithValue(ctx, pinKey{}, p.connection), method, request, response, options...)
}

// GetRequestMetadata implements credentials.PerRPCCredentials, which gRPC asks once it has chosen
// the connection of a call, and before it sends anything. It adds no metadata.
func (d *detection) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	to, isPinned := ctx.Value(pinKey{}).(int)
	if _, current := d.known(); isPinned && to != current {
		return nil, status.Error(codes.Unavailable, "the driver has restarted, and may speak another dialect now")
	}
	return nil, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (*detection) RequireTransportSecurity() bool { return false }
