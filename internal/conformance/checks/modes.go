package checks

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

const sayModes = "WriteOnly - only write access allowed … ReadOnly - only read access allowed"

// grantMode grants an access with a mode for objects to the bucket of another access that can read
// and write, and returns clients of both.
func (c *C) grantMode(mode port.Mode) (limited, full dataplane.Client) {
	request, access := c.granted()
	full = c.working(access)
	granted, err := c.grantWithMode(request.Buckets[0].ID, mode)
	if isCode(err, codes.InvalidArgument) {
		c.notSupported("access mode "+mode.String(), err)
	}
	c.setup("DriverGrantBucketAccess", err)
	return c.use(granted, 0), full
}

func (c *C) grantWithMode(bucket string, mode port.Mode) (*port.Access, error) {
	request := c.namedAccess(c.accessName(), bucket)
	request.Buckets[0].Modes.ObjectData = mode
	id, err := c.Driver.AccountKey(c.Context, request)
	if err != nil {
		return nil, err
	}
	c.require("DriverGenerateBucketAccessId", id)
	request.Key = id
	return c.grant(request)
}

// cannotWrite checks that a read-only access cannot write.
func (c *C) cannotWrite() {
	limited, full := c.grantMode(readOnly)
	const object = "conformance/denied"
	c.later(func(ctx context.Context) error { _ = full.Delete(ctx, object); return nil }) // it does not exist, unless the check failed
	if err := limited.Put(c.Context, object, nil); err == nil {
		c.fail("writing an object is denied", "it succeeds")
	}
}

// cannotRead checks that a write-only access cannot read.
func (c *C) cannotRead() {
	limited, _ := c.grantMode(writeOnly)
	if _, err := limited.Get(c.Context, ownedObject); err == nil {
		c.fail("reading an object is denied", "it succeeds")
	}
}

func modes() []*Check {
	check := func(id, title string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: S3AccessModes, Level: Must, Classes: []string{"D17"}, Rule: sourceMode.says(sayModes),
			Dialects: accessModes, Needs: []Need{needsS3}, run: run,
		}
	}
	return append([]*Check{
		check("AM-01", "A read-only access can read", func(c *C) {
			limited, _ := c.grantMode(readOnly)
			get := func(ctx context.Context) error { _, err := limited.Get(ctx, ownedObject); return err }
			if err := c.settles(get, isNil); err != nil {
				c.fail("GetObject succeeds", "%v", err)
			}
		}),
		check("AM-02", "A read-only access cannot write", (*C).cannotWrite),
		check("AM-03", "A read-only access cannot delete", func(c *C) {
			limited, full := c.grantMode(readOnly)
			_ = limited.Delete(c.Context, ownedObject) // only the existence of the object counts
			if _, err := full.Get(c.Context, ownedObject); err != nil {
				c.fail("the object is still there", "%v", err)
			}
		}),
		check("AM-04", "A write-only access can write", func(c *C) {
			limited, full := c.grantMode(writeOnly)
			c.later(func(ctx context.Context) error { return full.Delete(ctx, "conformance/written") })
			if err := c.settles(writing(limited, "conformance/written"), isNil); err != nil {
				c.fail("PutObject succeeds", "%v", err)
			}
		}),
		check("AM-05", "A write-only access cannot read", (*C).cannotRead),
	}, modeRules()...)
}

func modeRules() []*Check {
	return []*Check{
		{
			ID: "AM-06", Title: "An access mode is granted, or rejected with INVALID_ARGUMENT", Profile: S3AccessModes, Level: Must,
			Classes: []string{"D12", "D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: accessModes, Needs: []Need{needsS3},
			run: func(c *C) {
				c.mustGrant()
				id, limited := c.anyBucket(), 0
				for _, mode := range []port.Mode{readWrite, readOnly, writeOnly} {
					_, err := c.grantWithMode(id, mode)
					if err != nil && !isCode(err, codes.InvalidArgument) {
						c.fail("access mode "+mode.String()+" is granted, or rejected with INVALID_ARGUMENT", "%s", explain(err))
					}
					if err == nil && mode != readWrite {
						limited++
					}
				}
				if limited == 0 {
					c.notSupported("access modes other than READ_WRITE", errors.New("they are rejected"))
				}
			},
		},
		{
			ID: "AM-07", Title: "A repeated DriverGrantBucketAccess with a lesser mode is rejected, or its credential has the lesser mode",
			Profile: S3AccessModes, Level: Must, Classes: []string{"D02", "D17"}, Rule: sourceMode.says(sayModes),
			Dialects: accessModes, Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				c.working(access)
				if _, err := c.grantWithMode(request.Buckets[0].ID, readOnly); err != nil {
					c.notSupported("access mode READ_ONLY", err)
				}
				request.Buckets[0].Modes.ObjectData = readOnly
				lesser, err := c.grant(request)
				if err != nil {
					return
				}
				if err := c.settles(writing(c.use(lesser, 0), ownedObject), isRejected); err == nil {
					c.fail("the access is read-only, or the call is rejected", "OK, and the credential can write")
				}
			},
		},
	}
}
