package checks

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

var errAccepted = errors.New("it was accepted")

// get calls DriverGetBucket, which is optional for drivers.
func (c *C) get(id string) (*port.Bucket, error) {
	return c.look(c.namedBucket(id))
}

// look is get with a request that was changed.
func (c *C) look(request port.BucketRequest) (*port.Bucket, error) {
	b, err := c.Driver.GetBucket(c.Context, request)
	if isCode(err, codes.Unimplemented) {
		c.notSupported("DriverGetBucket", err)
	}
	return b, err
}

func reading() []*Check {
	return []*Check{
		{
			ID: "GE-01", Title: "DriverGetBucket finds a bucket that was created", Profile: Core, Level: Should, Classes: []string{"D14"},
			Rule: sourceGet.says(saySameResponse), Dialects: v1alpha2,
			run: func(c *C) {
				created := c.bucket()
				b, err := c.get(created.ID)
				c.wantOK("DriverGetBucket", err)
				if !slices.Contains(b.Protocols, c.protocol) {
					c.fail("information for "+c.protocol.String(), "%v", b.Protocols)
				}
			},
		},
		{
			ID: "GE-02", Title: "DriverGetBucket returns NOT_FOUND for an unknown bucket", Profile: Core, Level: Must, Classes: []string{"D13"},
			Rule: sourceGet.says(sayGetNotFound), Dialects: v1alpha2,
			run: func(c *C) {
				_, err := c.get(c.unknownBucket())
				if !isCode(err, codes.NotFound) {
					c.fail("NOT_FOUND", "%s", explain(err))
				}
			},
		},
		{
			ID: "GE-03", Title: "DriverGetBucket rejects an empty ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired), Dialects: v1alpha2,
			run: func(c *C) {
				_, err := c.get("")
				c.wantError("DriverGetBucket without bucket_id", err)
			},
		},
		{
			ID: "GE-04", Title: "DriverGetBucket finds a bucket of others", Profile: Core, Level: Must,
			Rule: sourceGet.says(sayGets), Dialects: v1alpha2,
			Needs: []Need{needsExistingBucket},
			run: func(c *C) {
				request := c.namedBucket(c.env.Parameters.ExistingBucket)
				_, err := c.look(request)
				if err != nil { // a bucket of others may not match the parameters
					request.Parameters = nil
					_, err = c.look(request)
				}
				c.wantOK("DriverGetBucket", err)
			},
		},
		{
			ID: "GE-05", Title: "DriverGetBucket returns INVALID_ARGUMENT for an empty ID", Profile: Core, Level: Must, Classes: []string{"D13"},
			Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				_, err := c.get("")
				c.wantCode("DriverGetBucket without bucket_id", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GE-06", Title: "DriverGetBucket rejects parameters that the bucket does not have", Profile: Core, Level: Must,
			Classes: []string{"D02"}, Rule: sourceGet.says(sayGetIncompat), Dialects: v1alpha2, Needs: []Need{needsIncompatible},
			run: func(c *C) {
				id := c.bucket().ID
				_, err := c.get(id)
				c.setup("DriverGetBucket", err)
				_, err = c.Driver.GetBucket(c.Context, port.BucketRequest{
					Key: id, Protocols: []port.Protocol{c.protocol}, Parameters: c.env.Parameters.Incompatible,
				})
				c.wantError("DriverGetBucket with other parameters", err)
			},
		},
		{
			ID: "GE-07", Title: "DriverGetBucket rejects unknown protocols", Profile: Core, Level: Should,
			Classes: []string{"D12"}, Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				id := c.bucket().ID
				for _, protocol := range []port.Protocol{cosiv1alpha2.ObjectProtocol_UNKNOWN, badEnum} {
					request := c.namedBucket(id)
					request.Protocols = []port.Protocol{protocol}
					_, err := c.look(request)
					c.wantError("DriverGetBucket with protocol "+protocol.String(), err)
				}
			},
		},
		{
			ID: "GE-08", Title: "DriverGetBucket returns a valid bucket ID", Profile: Core, Level: Must, Classes: []string{"D20"},
			Rule: sourceMessages.says(sayID), Dialects: foundIDs,
			run: func(c *C) {
				b, err := c.get(c.bucket().ID)
				c.setup("DriverGetBucket", err)
				c.wantChosenID(b.ID, "bucket ID")
			},
		},
	}
}

func deletion() []*Check { return append(deletionCalls(), nonEmpty()...) }

func deletionCalls() []*Check {
	return []*Check{
		{
			ID: "DB-01", Title: "DriverDeleteBucket deletes an empty bucket", Profile: Core, Level: Must, Rule: sourceDelete.says(sayDeletes),
			run: func(c *C) {
				b := c.bucket()
				c.wantOK("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, c.env.Parameters.Bucket))
			},
		},
		{
			ID: "DB-02", Title: "A deleted bucket is gone", Profile: Core, Level: Must, Classes: []string{"D14"},
			Rule: sourceDelete.says(sayDeletes), Dialects: v1alpha2,
			run: func(c *C) {
				b := c.bucket()
				_, err := c.get(b.ID)
				c.setup("DriverGetBucket", err)
				c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, c.env.Parameters.Bucket))
				if _, err := c.get(b.ID); err == nil {
					c.fail("DriverGetBucket does not find a deleted bucket", "OK")
				}
			},
		},
		{
			ID: "DB-03", Title: "A repeated DriverDeleteBucket returns OK", Profile: Core, Level: Must, Classes: []string{"D04"},
			Rule: sourceDelete.says(sayDeleted),
			run: func(c *C) {
				b := c.bucket()
				c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, c.env.Parameters.Bucket))
				c.wantOK("a repeated DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, c.env.Parameters.Bucket))
			},
		},
		{
			ID: "DB-04", Title: "DriverDeleteBucket returns OK for a bucket that never existed", Profile: Core, Level: Must,
			Classes: []string{"D04"}, Rule: sourceDelete.says(sayDeleted),
			run: func(c *C) {
				c.mustDelete()
				id := c.unknownBucket()
				c.wantOK("DriverDeleteBucket for an unknown bucket", c.Driver.DeleteBucket(c.Context, id, c.env.Parameters.Bucket))
			},
		},
		{
			ID: "DB-05", Title: "DriverDeleteBucket rejects an empty ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired), Needs: []Need{needsPermission},
			run: func(c *C) {
				c.mustDelete()
				c.wantError("DriverDeleteBucket without bucket_id", c.Driver.DeleteBucket(c.Context, "", nil))
			},
		},
		{
			ID: "DB-06", Title: "A deleted bucket can be created again", Profile: Core, Level: Should, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				request := c.bucketRequest()
				b, err := c.create(request)
				c.setup("DriverCreateBucket", err)
				c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, request.Parameters))
				_, err = c.create(request)
				c.wantOK("DriverCreateBucket after DriverDeleteBucket", err)
			},
		},
		{
			ID: "DB-07", Title: "DriverDeleteBucket deletes only the bucket that is named", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Rule: sourceDelete.says(sayDeletes), Dialects: v1alpha2,
			run: func(c *C) {
				kept, deleted := c.bucket(), c.bucket()
				_, err := c.get(kept.ID)
				c.setup("DriverGetBucket", err)
				c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, deleted.ID, c.env.Parameters.Bucket))
				if _, err := c.get(kept.ID); err != nil {
					c.fail("another bucket is still there", "%s", explain(err))
				}
			},
		},
		{
			ID: "DB-08", Title: "DriverDeleteBucket for the beginning of an ID does not delete the bucket", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Rule: sourceDelete.says(sayDeletes), Needs: []Need{needsPermission},
			run: func(c *C) {
				id := c.bucket().ID
				c.setup("look the bucket up", c.observe(id))
				part := strings.TrimRight(id[:len(id)-1], "./-_")
				_ = c.Driver.DeleteBucket(c.Context, part, c.env.Parameters.Bucket) // only the existence of the bucket counts
				c.stays(id, "DriverDeleteBucket for "+part)
			},
		},
		{
			ID: "DB-09", Title: "DriverDeleteBucket returns INVALID_ARGUMENT for an empty ID", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Needs: []Need{needsPermission},
			run: func(c *C) {
				c.mustDelete()
				c.wantCode("DriverDeleteBucket without bucket_id", c.Driver.DeleteBucket(c.Context, "", nil), codes.InvalidArgument)
			},
		},
		{
			ID: "DB-10", Title: "DriverDeleteBucket for IDs that lead elsewhere as a path deletes no bucket", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Rule: sourceDelete.says(sayDeletes), Needs: []Need{needsPermission},
			run: func(c *C) {
				id := c.bucket().ID
				c.setup("look the bucket up", c.observe(id))
				for _, other := range []string{".", "..", "*", "/", id + "/..", "x/../" + id} {
					_ = c.Driver.DeleteBucket(c.Context, other, c.env.Parameters.Bucket)
					c.stays(id, "DriverDeleteBucket for "+other)
				}
			},
		},
	}
}
