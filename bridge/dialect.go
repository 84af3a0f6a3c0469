package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Dialect is the protocol of a driver: COSI v1alpha1, or one of the wire dialects that share
// the name of v1alpha2.
type Dialect string

// The dialects, the oldest first.
const (
	DialectV1alpha1 Dialect = "v1alpha1"
	// DialectNoModes is v1alpha2 as of 5 January 2026: as DialectOneMode, but AccessMode has no
	// field. Detect cannot tell the two apart.
	DialectNoModes Dialect = "no-modes"
	// DialectOneMode is v1alpha2 as of 14 January 2026: DriverCreateBucket and
	// DriverGrantBucketAccess return the IDs, and a bucket has one access mode.
	DialectOneMode Dialect = "one-mode"
	// DialectOneModeGet is v1alpha2 as of August 2026: as DialectOneMode, with DriverGetBucket in
	// place of DriverGetExistingBucket.
	DialectOneModeGet Dialect = "one-mode-get"
	// DialectBucketIDs has DriverGenerateBucketId and three access modes for a bucket, but not
	// DriverGenerateBucketAccessId.
	DialectBucketIDs Dialect = "bucket-ids"
	// DialectKEP is v1alpha2 as the KEP has it. A driver of it needs no bridge; one that spoke
	// another dialect before does, for the IDs that the bridge has stored.
	DialectKEP Dialect = "kep"
)

// Dialects returns all dialects, the oldest first.
func Dialects() []Dialect {
	return []Dialect{DialectV1alpha1, DialectNoModes, DialectOneMode, DialectOneModeGet, DialectBucketIDs, DialectKEP}
}

// ParseDialect returns the dialect of that name.
func ParseDialect(name string) (Dialect, error) {
	if slices.Contains(Dialects(), Dialect(name)) {
		return Dialect(name), nil
	}
	var names []string
	for _, dialect := range Dialects() {
		names = append(names, string(dialect))
	}
	return "", fmt.Errorf("%q: the dialects are %s", name, strings.Join(names, ", "))
}

// Protocol describes the dialect, such as "COSI v1alpha2, dialect one-mode".
func (d Dialect) Protocol() string {
	if d == DialectV1alpha1 {
		return "COSI v1alpha1"
	}
	return "COSI v1alpha2, dialect " + string(d)
}

// Messages returns an empty request and response of a method, given as /SERVICE/METHOD, or nil
// if no driver of the dialect has it.
func (d Dialect) Messages(method string) (request, response proto.Message) {
	if d == DialectV1alpha1 {
		return cosiv1alpha1.Messages(method)
	}
	request, response = cosiv1alpha2.Messages(method)
	if d == DialectKEP {
		return request, response
	}
	switch method {
	case cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName:
		response = &dialects.BucketResponse{}
	case getExistingBucket:
		request, response = &cosiv1alpha2.DriverGetBucketRequest{}, &dialects.BucketResponse{}
	case cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName:
		response = &dialects.GrantBucketAccessResponse{}
		if d != DialectBucketIDs {
			request = &dialects.GrantBucketAccessRequest{}
		}
	}
	return request, response
}

// Detect asks a driver for its dialect. Its calls create nothing: they lack the name or ID.
// It returns DialectOneMode for a driver of DialectNoModes: both have the same calls.
func Detect(ctx context.Context, endpoint string) (dialect Dialect, err error) {
	conn, err := connect(endpoint, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return detect(ctx, conn)
}

// detect is Detect on a connection. A method that the driver lacks, or has only as a stub,
// returns UNIMPLEMENTED.
func detect(ctx context.Context, conn grpc.ClientConnInterface) (Dialect, error) {
	provisioner := cosiv1alpha2.NewProvisionerClient(conn)
	_, err := provisioner.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{})
	generatesBuckets, err := serves(err)
	if err != nil {
		return "", err
	}
	if !generatesBuckets {
		if isOld, err := servesOnlyV1alpha1(ctx, conn); err != nil || isOld {
			return DialectV1alpha1, err
		}
	}
	_, err = provisioner.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{})
	switch generatesAccounts, err := serves(err); {
	case err != nil:
		return "", err
	case generatesAccounts:
		return DialectKEP, nil
	case generatesBuckets:
		return DialectBucketIDs, nil
	}
	_, err = provisioner.DriverGetBucket(ctx, &cosiv1alpha2.DriverGetBucketRequest{})
	switch gets, err := serves(err); {
	case err != nil:
		return "", err
	case gets:
		return DialectOneModeGet, nil
	default:
		return DialectOneMode, nil
	}
}

// servesOnlyV1alpha1 reports whether a driver serves v1alpha1, and not v1alpha2.
func servesOnlyV1alpha1(ctx context.Context, conn grpc.ClientConnInterface) (bool, error) {
	_, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	if served, err := serves(err); err != nil || served {
		return false, err
	}
	_, err = cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
	served, err := serves(err)
	if err == nil && !served {
		err = status.Errorf(codes.Unimplemented, "the driver serves neither COSI v1alpha2 nor v1alpha1 (services %s and %s)",
			cosiv1alpha2.Identity_ServiceDesc.ServiceName, cosiv1alpha1.Identity_ServiceDesc.ServiceName)
	}
	return served, err
}

// serves reports whether a driver has a method, from the error of a call. The error is for a
// driver that could not be asked.
func serves(err error) (bool, error) {
	switch status.Code(err) {
	case codes.Unimplemented:
		return false, nil
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return false, joinStatus(err, errors.New("so the dialect of the driver is not known"))
	default:
		return true, nil
	}
}

// detection is the dialect of the driver at the other end of the current connection. A driver
// that restarts may speak another one, in which the same bytes mean something else. So calls are
// pinned to the connection on which the dialect was asked for.
type detection struct {
	mu         sync.Mutex
	dialect    Dialect // empty if not known
	last       Dialect // the latest that was known
	connection int     // counts the connections
}

var _ credentials.PerRPCCredentials = &detection{}

// reset forgets the dialect when a connection begins.
func (d *detection) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialect = ""
	d.connection++
}

func (d *detection) known() (dialect Dialect, connection int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dialect, d.connection
}

// set stores the dialect of a connection, unless another has begun meanwhile. It reports whether
// the dialect is another one than before.
func (d *detection) set(dialect Dialect, connection int) (changed bool) {
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
	return nil, nil //nolint:nilnil // no metadata, no error
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (*detection) RequireTransportSecurity() bool { return false }
