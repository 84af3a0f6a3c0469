package checks

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// isRejected returns whether a store answered a request, and did not do it.
func isRejected(err error) bool { return err != nil && dataplane.IsAnswer(err) }

// working returns a client for an access that works. Otherwise the check is not reached.
func (c *C) working(access *port.Access) *dataplane.S3 {
	client := c.use(access, 0)
	c.setup("use the credentials", c.write(client, "conformance/owned"))
	return client
}

// secrets are the checks of credentials, most of them with requests to S3.
func secrets() []*Check { return append(credentials(), isolation()...) }

func credentials() []*Check {
	return []*Check{
		{
			ID: "SA-01", Title: "The credentials of an access work at once", Profile: S3, Level: Must, Classes: []string{"D08", "D14"},
			Sentence: sayAccess, Source: sourceGrant, Needs: []Need{needsS3},
			run: func(c *C) {
				_, access := c.granted()
				c.works("the credential", c.use(access, 0))
			},
		},
		{
			ID: "SA-02", Title: "The credentials of an access stop working when it is revoked", Profile: S3, Level: Must,
			Classes: []string{"D15"}, Sentence: sayRevokes, Source: sourceRevoke, Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				client := c.use(access, 0)
				c.setup("use the credentials", c.write(client, "conformance/revoked"))
				c.setup("delete the object", client.Delete(c.Context, "conformance/revoked"))
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				put := func(ctx context.Context) error { return client.Put(ctx, "conformance/revoked", nil) }
				if err := c.settles(put, isRejected); err == nil {
					c.setup("delete the object", client.Delete(c.Context, "conformance/revoked"))
					c.fail("a revoked credential cannot write", "PutObject succeeds")
				}
			},
		},
		{
			ID: "SA-03", Title: "Two accesses have different credentials", Profile: S3, Level: Must, Classes: []string{"D16"},
			Sentence: "This gRPC call requests to generate unique access credentials for the Bucket(s).", Source: "KEP-1979, workflows",
			Needs: []Need{needsS3},
			run: func(c *C) {
				_, first := c.granted()
				_, second := c.granted()
				if first.S3.GetAccessSecretKey() == "" {
					c.notReached("DriverGrantBucketAccess", errors.New("the response has no secret key"))
				}
				if first.S3.GetAccessSecretKey() == second.S3.GetAccessSecretKey() {
					c.fail("different secret keys", "both accesses have the same")
				}
			},
		},
		{
			ID: "SA-04", Title: "A secret key has at least 16 characters, and no part of it is a name or an ID", Profile: S3, Level: Should,
			Classes: []string{"D16"}, Sentence: sayAccess, Source: sourceGrant, Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				secret := access.S3.GetAccessSecretKey()
				if secret == "" {
					c.notReached("DriverGrantBucketAccess", errors.New("the response has no secret key"))
				}
				if len(secret) < 16 || strings.Contains(secret, request.Key) || strings.Contains(secret, request.Buckets[0].ID) {
					c.fail("a secret that cannot be guessed", "%d characters, or an ID in it", len(secret))
				}
			},
		},
		{
			ID: "SA-05", Title: "The credentials of a repeated DriverGrantBucketAccess work", Profile: S3, Level: Must, Classes: []string{"D03"},
			Sentence: sayIdempotent, Source: sourceGrant, Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				c.working(access)
				again, err := c.Driver.Grant(c.Context, request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				c.works("the new credential", c.use(again, 0))
			},
		},
		{
			ID: "SA-06", Title: "The first credentials work after a repeated DriverGrantBucketAccess", Profile: S3, Level: Should,
			Classes: []string{"D03"}, Sentence: sayIdempotent, Source: sourceGrant, Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				client := c.working(access)
				_, err := c.Driver.Grant(c.Context, request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				c.works("the first credential", client)
			},
		},
	}
}

func isolation() []*Check {
	return []*Check{
		{
			ID: "SA-07", Title: "An access does not reach the bucket of another", Profile: S3, Level: Must, Classes: []string{"D16"},
			Sentence: sayAccess, Source: sourceGrant, Needs: []Need{needsS3},
			run: func(c *C) {
				_, mine := c.granted()
				_, other := c.granted()
				c.working(mine)
				c.working(other)
				crossed := c.client(other.Buckets[0].S3, mine.S3)
				if _, err := crossed.Get(c.Context, "conformance/owned"); err == nil {
					c.fail("GetObject in the other bucket is denied", "it succeeds")
				}
				if err := crossed.Put(c.Context, "conformance/owned", nil); err == nil {
					c.fail("PutObject in the other bucket is denied", "it succeeds")
				}
			},
		},
		{
			ID: "SA-08", Title: "Revoking one access leaves another to the same bucket", Profile: S3, Level: Must, Classes: []string{"D08", "D16"},
			Sentence: sayRevokes, Source: sourceRevoke, Needs: []Need{needsS3},
			run: func(c *C) {
				request, kept := c.granted()
				revoked := c.accessRequest(request.Buckets[0].ID)
				access := c.access(revoked)
				client := c.working(kept)
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(revoked, access)))
				c.works("the other access", client)
			},
		},
		{
			ID: "SA-09", Title: "Objects outlive the access that wrote them", Profile: S3, Level: Must,
			Sentence: sayRevokes, Source: sourceRevoke, Needs: []Need{needsS3},
			run: func(c *C) {
				request, kept := c.granted()
				reader := c.working(kept)
				writer := c.accessRequest(request.Buckets[0].ID)
				access := c.access(writer)
				const object = "conformance/outlives"
				c.setup("use the credentials", c.write(c.use(access, 0), object))
				c.later(func(ctx context.Context) error { return reader.Delete(ctx, object) })
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(writer, access)))
				if content, err := reader.Get(c.Context, object); err != nil || !bytes.Equal(content, []byte(object)) {
					c.fail("the object is still there", "%q, %v", content, err)
				}
			},
		},
	}
}

// grantMode grants an access with a mode for objects to the bucket of another access that
// can read and write, and returns clients of both.
func (c *C) grantMode(mode port.Mode) (limited, full *dataplane.S3) {
	request, access := c.granted()
	full = c.working(access)
	only := c.namedAccess(c.accessName(), request.Buckets[0].ID)
	only.Buckets[0].Modes.ObjectData = mode
	id, err := c.Driver.AccountKey(c.Context, only)
	if isCode(err, codes.InvalidArgument) {
		c.notSupported("access mode "+mode.String(), err)
	}
	c.setup("DriverGenerateBucketAccessId", err)
	only.Key = id
	granted, err := c.grant(only)
	if isCode(err, codes.InvalidArgument) {
		c.notSupported("access mode "+mode.String(), err)
	}
	c.setup("DriverGrantBucketAccess", err)
	return c.use(granted, 0), full
}

// modes are the checks of access modes.
func modes() []*Check {
	const say = "access_mode: ReadWrite, ReadOnly, WriteOnly. Permissions on the objects."
	check := func(id, title string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: S3AccessModes, Level: Must, Classes: []string{"D17"}, Sentence: say, Source: sourceGrant,
			Generation: port.V1alpha2, Needs: []Need{needsS3}, run: run,
		}
	}
	const readOnly, writeOnly = cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_WRITE_ONLY
	return []*Check{
		check("AM-01", "A read-only access can read", func(c *C) {
			limited, _ := c.grantMode(readOnly)
			get := func(ctx context.Context) error { _, err := limited.Get(ctx, "conformance/owned"); return err }
			if err := c.settles(get, isNil); err != nil {
				c.fail("GetObject succeeds", "%v", err)
			}
		}),
		check("AM-02", "A read-only access cannot write", func(c *C) {
			limited, full := c.grantMode(readOnly)
			c.later(func(ctx context.Context) error { return full.Delete(ctx, "conformance/denied") })
			if err := limited.Put(c.Context, "conformance/denied", nil); err == nil {
				c.fail("PutObject is denied", "it succeeds")
			}
		}),
		check("AM-03", "A read-only access cannot delete", func(c *C) {
			limited, full := c.grantMode(readOnly)
			_ = limited.Delete(c.Context, "conformance/owned") // what counts is whether the object is still there
			if _, err := full.Get(c.Context, "conformance/owned"); err != nil {
				c.fail("the object is still there", "%v", err)
			}
		}),
		check("AM-04", "A write-only access can write", func(c *C) {
			limited, full := c.grantMode(writeOnly)
			c.later(func(ctx context.Context) error { return full.Delete(ctx, "conformance/written") })
			put := func(ctx context.Context) error { return limited.Put(ctx, "conformance/written", nil) }
			if err := c.settles(put, isNil); err != nil {
				c.fail("PutObject succeeds", "%v", err)
			}
		}),
		check("AM-05", "A write-only access cannot read", func(c *C) {
			limited, _ := c.grantMode(writeOnly)
			if _, err := limited.Get(c.Context, "conformance/owned"); err == nil {
				c.fail("GetObject is denied", "it succeeds")
			}
		}),
	}
}

// grantBoth grants one access to two buckets, if the driver supports that.
func (c *C) grantBoth() (port.AccessRequest, *port.Access) {
	request := c.namedAccess(c.accessName(), c.bucket().ID, c.bucket().ID)
	id, err := c.Driver.AccountKey(c.Context, request)
	if isCode(err, codes.OutOfRange) {
		c.notSupported("one access to several buckets", err)
	}
	c.setup("DriverGenerateBucketAccessId", err)
	request.Key = id
	access, err := c.grant(request)
	if isCode(err, codes.OutOfRange) {
		c.notSupported("one access to several buckets", err)
	}
	c.setup("DriverGrantBucketAccess", err)
	return request, access
}

// multiBucket are the checks of accesses to several buckets.
func multiBucket() []*Check {
	return []*Check{
		{
			ID: "MB-01", Title: "DriverGrantBucketAccess returns information for each of several buckets", Profile: MultiBucket, Level: Must,
			Sentence: "buckets: one for each requested bucket, and no other.", Source: sourceGrant, Generation: port.V1alpha2,
			run: func(c *C) {
				request, access := c.grantBoth()
				want, got := []string{request.Buckets[0].ID, request.Buckets[1].ID}, bucketNames(access.Buckets)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) {
					c.fail(strings.Join(want, ", "), "%v", got)
				}
			},
		},
		{
			ID: "MB-02", Title: "The order of the buckets means nothing", Profile: MultiBucket, Level: Must,
			Sentence: "The order means nothing and may differ from call to call.", Source: sourceGrant, Generation: port.V1alpha2,
			run: func(c *C) {
				request, _ := c.grantBoth()
				slices.Reverse(request.Buckets)
				_, err := c.Driver.Grant(c.Context, request)
				c.wantOK("DriverGrantBucketAccess with the buckets in another order", err)
			},
		},
		{
			ID: "MB-03", Title: "One credential works in each of several buckets", Profile: MultiBucket, Level: Must, Needs: []Need{needsS3},
			Sentence: "The driver will provision and return a single access with permissions for all given buckets.",
			Source:   sourceAccount, Generation: port.V1alpha2,
			run: func(c *C) {
				_, access := c.grantBoth()
				for i := range access.Buckets {
					c.works("the credential", c.use(access, i))
				}
			},
		},
	}
}
