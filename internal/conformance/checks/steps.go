package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const (
	s3             = cosiv1alpha2.ObjectProtocol_S3
	azureBlob      = cosiv1alpha2.ObjectProtocol_AZURE
	googleStorage  = cosiv1alpha2.ObjectProtocol_GCS
	key            = cosiv1alpha2.AuthenticationType_KEY
	serviceAccount = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT
	readWrite      = cosiv1alpha2.AccessMode_READ_WRITE
	readOnly       = cosiv1alpha2.AccessMode_READ_ONLY
	writeOnly      = cosiv1alpha2.AccessMode_WRITE_ONLY
	anyMode        = cosiv1alpha2.AccessMode_ANY
	badEnum        = 99
)

func (c *C) bucketName() string { return "bc-" + c.uid() }

func (c *C) accessName() string { return "ba-" + c.uid() }

// bucketRequest returns a request for a bucket. Its key is the driver's for a fresh name, or the
// name.
func (c *C) bucketRequest() port.BucketRequest { return c.bucketRequestFor(c.bucketName()) }

func (c *C) bucketRequestFor(name string) port.BucketRequest {
	request := c.namedBucket(name)
	id, err := c.Driver.BucketKey(c.Context, request)
	c.setup("DriverGenerateBucketId", err)
	c.require("DriverGenerateBucketId", id)
	request.Key = id
	return request
}

// unknownBucket returns the ID of a bucket that does not exist. A driver may create a bucket
// when it generates its ID, although that is not recommended.
func (c *C) unknownBucket() string {
	request := c.bucketRequest()
	if !c.speaks(generatedBuckets) {
		return c.unknownID(request)
	}
	if _, err := c.Driver.GetBucket(c.Context, request); err == nil {
		c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, request.Key, request.Parameters))
	}
	return request.Key
}

// unknownID returns an ID that no bucket has, in the form of the IDs that DriverCreateBucket returns. A
// driver may reject all others. If the form is not known, it is the ID of a bucket that was deleted.
func (c *C) unknownID(request port.BucketRequest) string {
	known := c.bucketRequest()
	b, err := c.create(known)
	c.setup("DriverCreateBucket", err)
	if id := strings.ReplaceAll(b.ID, known.Key, request.Key); id != b.ID {
		return id
	}
	c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, known.Parameters))
	return b.ID
}

// unknownAccount returns the ID of an account that does not exist, as unknownBucket.
func (c *C) unknownAccount(request port.AccessRequest) string {
	if c.speaks(generatedAccounts) {
		return request.Key
	}
	known := c.accessRequest(request.Buckets[0].ID)
	access := c.access(known)
	if id := strings.ReplaceAll(access.AccountID, known.Key, request.Key); id != access.AccountID {
		return id
	}
	c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(known, access)))
	return access.AccountID
}

// require ends the check as not reached if a call before it returned an empty ID.
func (c *C) require(call, id string) {
	if id == "" {
		c.notReached(call, errors.New("the response has no ID"))
	}
}

// namedBucket returns a request whose key is a name.
func (c *C) namedBucket(name string) port.BucketRequest {
	return port.BucketRequest{
		Key: name, Protocols: []port.Protocol{c.protocol}, Parameters: maps.Clone(c.env.Parameters.Bucket),
	}
}

func (c *C) create(request port.BucketRequest) (*port.Bucket, error) {
	b, err := c.Driver.CreateBucket(c.Context, request)
	c.removeBucket(request, b)
	return b, err
}

// removeBucket removes a bucket at the end. A call that failed may have created it.
func (c *C) removeBucket(request port.BucketRequest, b *port.Bucket) {
	id := request.Key
	if b != nil {
		id = b.ID
		c.nameOf[id] = request.Key
	}
	if id == "" {
		return // the driver might delete anything
	}
	if !c.acquire("bucket "+request.Key, "bucket "+id, b != nil) {
		return
	}
	c.later(func(ctx context.Context) error {
		if isPath(id) && b == nil {
			return nil // it was rejected
		}
		if isPath(id) {
			return fmt.Errorf("bucket %q: %w", id, errPath)
		}
		if err := c.Driver.DeleteBucket(ctx, id, request.Parameters); err != nil {
			if b == nil && isNothing(err) {
				return nil
			}
			return fmt.Errorf("bucket %s: %w", id, err)
		}
		if c.speaks(v1alpha1) {
			return nil
		}
		for _, parameters := range []map[string]string{nil, request.Parameters} { // a driver may need them
			if _, err := c.Driver.GetBucket(ctx, port.BucketRequest{Key: id, Parameters: parameters}); err == nil {
				return fmt.Errorf("bucket %s exists after it was deleted", id)
			}
		}
		return nil
	})
}

// acquire reports whether something must be removed that a request may have created, or has created:
// not if an earlier answer to the same request, or one with the same ID, has led to its removal.
func (c *C) acquire(request, id string, created bool) bool {
	_, known := c.acquired[id]
	_, repeated := c.acquired[request]
	if c.acquired[id] || !created && (known || repeated) {
		return false
	}
	if !repeated {
		c.acquired[request] = false
	}
	c.acquired[id] = created
	return true
}

// observe returns an error unless a bucket exists. Without another call for this, it uses a grant.
func (c *C) observe(id string) error {
	if c.speaks(v1alpha2) {
		_, err := c.Driver.GetBucket(c.Context, c.namedBucket(id))
		if !isCode(err, codes.Unimplemented) {
			return err
		}
	}
	_, err := c.grant(c.accessRequest(id))
	return err
}

// stays ends the check unless a bucket still exists.
func (c *C) stays(id, after string) {
	if err := c.observe(id); err != nil {
		c.fail("bucket "+id+" is still there after "+after, "%s", explain(err))
	}
}

// bucket creates a bucket for the check.
func (c *C) bucket() *port.Bucket {
	b, err := c.create(c.bucketRequest())
	c.setup("DriverCreateBucket", err)
	c.require("DriverCreateBucket", b.ID)
	return b
}

// anyBucket returns the ID of a bucket that is the same for the whole check.
func (c *C) anyBucket() string {
	if c.any == "" {
		c.any = c.bucket().ID
	}
	return c.any
}

// accessRequest returns a request for an access that can read and write objects. Its key is the
// driver's for a fresh name, or the name.
func (c *C) accessRequest(buckets ...string) port.AccessRequest {
	request := c.namedAccess(c.accessName(), buckets...)
	id, err := c.Driver.AccountKey(c.Context, request)
	c.setup("DriverGenerateBucketAccessId", err)
	c.require("DriverGenerateBucketAccessId", id)
	request.Key = id
	return request
}

func (c *C) namedAccess(name string, buckets ...string) port.AccessRequest {
	request := port.AccessRequest{
		Key: name, Protocol: c.protocol, Authentication: key, Parameters: maps.Clone(c.env.Parameters.Access),
	}
	for _, id := range buckets {
		request.Buckets = append(request.Buckets, port.AccessedBucket{ID: id, Modes: port.Modes{
			ObjectData: readWrite, ObjectMetadata: anyMode, BucketMetadata: anyMode,
		}})
	}
	return request
}

func (c *C) grant(request port.AccessRequest) (*port.Access, error) {
	access, err := c.Driver.Grant(c.Context, request)
	c.removeAccess(request, access)
	return access, err
}

// removeAccess removes an access at the end. A call that failed may have created it.
func (c *C) removeAccess(request port.AccessRequest, access *port.Access) {
	revocation := revocationOf(request, access)
	if revocation.Key == "" || isPath(revocation.Key) && access == nil {
		return
	}
	if !c.acquire("account "+request.Key, "account "+revocation.Key, access != nil) {
		return
	}
	c.later(func(ctx context.Context) error {
		if err := c.Driver.Revoke(ctx, revocation); err != nil {
			if access == nil && isNothing(err) {
				return nil
			}
			return fmt.Errorf("account %s: %w", revocation.Key, err)
		}
		return nil
	})
}

func revocationOf(request port.AccessRequest, access *port.Access) port.AccessRequest {
	if access != nil {
		request.Key = access.AccountID
	}
	return request
}

// mustCreate, mustDelete, mustGrant and mustRevoke end the check as not reached if a call does not
// work at all: other checks report that.
func (c *C) mustCreate() { c.anyBucket() }

func (c *C) mustDelete() {
	c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, c.bucket().ID, c.env.Parameters.Bucket))
}

func (c *C) mustGrant() { c.access(c.accessRequest(c.anyBucket())) }

func (c *C) mustRevoke() {
	request := c.accessRequest(c.anyBucket())
	access := c.access(request)
	c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
}

// access grants an access for the check.
func (c *C) access(request port.AccessRequest) *port.Access {
	access, err := c.grant(request)
	c.setup("DriverGrantBucketAccess", err)
	c.require("DriverGrantBucketAccess", access.AccountID)
	return access
}

// persist repeats a call like the sidecar, until it succeeds, fails for good, or the time to settle
// is over: a cancelled call may still be running.
func (c *C) persist(call func() error) error {
	ctx, cancel := context.WithTimeout(c.Context, c.env.Settle)
	defer cancel()
	for {
		err := call()
		if c.isFinal(status.Code(err)) {
			return err
		}
		timer := time.NewTimer(settlePause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

// isFinal returns whether the sidecar does not repeat a call. In v1alpha1, ALREADY_EXISTS may mean
// that another call for the same thing is in flight.
func (c *C) isFinal(code codes.Code) bool {
	switch code {
	case codes.OK, codes.InvalidArgument, codes.Unimplemented:
		return true
	case codes.AlreadyExists:
		return c.speaks(v1alpha2)
	default:
		return false
	}
}

const settlePause = 50 * time.Millisecond

// settles repeats a request until it has the wanted error, or the time to settle is over.
func (c *C) settles(request func(context.Context) error, wanted func(error) bool) error {
	ctx, cancel := context.WithTimeout(c.Context, c.env.Settle)
	defer cancel()
	for {
		err := request(c.Context)
		if wanted(err) {
			return err
		}
		timer := time.NewTimer(settlePause)
		select {
		case <-ctx.Done():
			timer.Stop()
			if !dataplane.IsAnswer(err) {
				c.notReached("use the object store (--params can name an address of it that this machine reaches)", err)
			}
			return err
		case <-timer.C:
		}
	}
}

// write writes an object, which is deleted at the end.
func (c *C) write(client dataplane.Client, object string) error {
	c.later(func(ctx context.Context) error { _ = client.Delete(ctx, object); return nil }) // its bucket is reported as a leftover
	return c.settles(func(ctx context.Context) error { return client.Put(ctx, object, []byte(object)) }, isNil)
}

// works ends the check unless a client can write, read and delete.
func (c *C) works(what string, client dataplane.Client) {
	const object = "conformance/probe"
	if err := c.write(client, object); err != nil {
		c.fail(what+" can write an object", "%v", err)
	}
	if _, err := client.Get(c.Context, object); err != nil {
		c.fail(what+" can read an object", "%v", err)
	}
	if err := client.Delete(c.Context, object); err != nil {
		c.fail(what+" can delete an object", "%v", err)
	}
}

func isNil(err error) bool { return err == nil }

func isCode(err error, code codes.Code) bool { return status.Code(err) == code }

// isNothing returns whether the driver's error means that the subject of a rejected request cannot
// exist.
func isNothing(err error) bool {
	return isCode(err, codes.InvalidArgument) || isCode(err, codes.NotFound)
}
