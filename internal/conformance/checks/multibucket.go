package checks

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

const (
	sayEach   = "REQUIRED. The Provisioner MUST return info for all buckets in the request."
	saySingle = "the driver will provision and return a single access with permissions for all given buckets."
)

// bothRequest returns a request for one access to two buckets, if the driver supports it.
func (c *C) bothRequest() port.AccessRequest {
	request := c.namedAccess(c.accessName(), c.bucket().ID, c.bucket().ID)
	id, err := c.Driver.AccountKey(c.Context, request)
	c.rangeSupported(err)
	c.setup("DriverGenerateBucketAccessId", err)
	c.require("DriverGenerateBucketAccessId", id)
	request.Key = id
	return request
}

func (c *C) rangeSupported(err error) {
	if isCode(err, codes.OutOfRange) {
		c.notSupported("one access to several buckets", err)
	}
}

// grantBoth grants one access to two buckets, if the driver supports it.
func (c *C) grantBoth() (port.AccessRequest, *port.Access) {
	request := c.bothRequest()
	access, err := c.grant(request)
	c.rangeSupported(err)
	c.setup("DriverGrantBucketAccess", err)
	return request, access
}

// ordersBuckets generates the ID of an access to two buckets in both orders.
func (c *C) ordersBuckets() {
	request := c.namedAccess(c.accessName(), c.bucket().ID, c.bucket().ID)
	first, err := c.Driver.AccountKey(c.Context, request)
	c.rangeSupported(err)
	c.setup("DriverGenerateBucketAccessId", err)
	slices.Reverse(request.Buckets)
	second, err := c.Driver.AccountKey(c.Context, request)
	c.setup("DriverGenerateBucketAccessId", err)
	if first != second {
		c.fail("ID "+first+" again", "ID %s", second)
	}
}

func multiBucket() []*Check {
	check := func(id, title, level string, rule Rule, run func(*C), classes ...string) *Check {
		return &Check{
			ID: id, Title: title, Profile: MultiBucket, Level: level, Rule: rule, Classes: classes,
			Dialects: v1alpha2, run: run,
		}
	}
	sameID := check("MB-04", "DriverGenerateBucketAccessId returns the same ID for the buckets in another order", Should,
		sourceAccount.says(sayIdempotent), (*C).ordersBuckets)
	sameID.Dialects = generatedAccounts
	return append([]*Check{
		check("MB-01", "DriverGrantBucketAccess returns information for each of several buckets", Must,
			sourceMessages.says(sayEach), func(c *C) {
				request, access := c.grantBoth()
				want, got := []string{request.Buckets[0].ID, request.Buckets[1].ID}, bucketNames(access.Buckets)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) {
					c.fail(strings.Join(want, ", "), "%v", got)
				}
			}),
		check("MB-02", "The order of the buckets means nothing", Must, sourceGrant.says(sayIdempotent), func(c *C) {
			request, _ := c.grantBoth()
			slices.Reverse(request.Buckets)
			_, err := c.grant(request)
			c.wantOK("DriverGrantBucketAccess with the buckets in another order", err)
		}),
		sameID,
		check("MB-05", "DriverGrantBucketAccess is rejected if one of several buckets does not exist", Must,
			sourceAccount.says(saySingle), func(c *C) {
				request := c.bothRequest()
				request.Buckets[1].ID = c.unknownBucket()
				_, err := c.grant(request)
				c.rangeSupported(err)
				c.wantError("DriverGrantBucketAccess with an unknown bucket", err)
			}, "D11"),
		check("MB-06", "DriverGrantBucketAccess rejects other buckets for an existing account", Should,
			sourceGrant.says(sayIncompat), func(c *C) {
				request, _ := c.grantBoth()
				request.Buckets = request.Buckets[:1]
				_, err := c.grant(request)
				c.wantError("DriverGrantBucketAccess with one of the buckets", err)
			}, "D02"),
	}, multiBucketData()...)
}

// multiBucketData has the checks that use the credential of an access to several buckets.
func multiBucketData() []*Check {
	check := func(id, title string, rule Rule, classes []string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: MultiBucket, Level: Must, Rule: rule, Classes: classes,
			Dialects: v1alpha2, Needs: []Need{needsS3}, run: run,
		}
	}
	ownModes := check("MB-09", "Each of several buckets has its own access mode", sourceMode.says(sayModes), []string{"D17"},
		(*C).grantsEachMode)
	ownModes.Dialects = accessModes
	return []*Check{
		check("MB-03", "One credential works in each of several buckets", sourceAccount.says(saySingle), nil, func(c *C) {
			_, access := c.grantBoth()
			for i := range access.Buckets {
				c.works("the credential", c.use(access, i))
			}
		}),
		check("MB-07", "A revoked credential works in none of several buckets", sourceRevoke.says(sayRevokes), []string{"D15"}, func(c *C) {
			request, access := c.grantBoth()
			for i := range access.Buckets {
				client := c.use(access, i)
				c.setup("use the credentials", c.write(client, revokedObject))
				c.setup("delete the object", client.Delete(c.Context, revokedObject))
			}
			c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			for i := range access.Buckets {
				c.isRevoked(c.use(access, i))
			}
		}),
		check("MB-08", "An access to several buckets does not reach another", sourceGrant.says(sayAccess), []string{"D16"}, func(c *C) {
			_, access := c.grantBoth()
			_, other := c.granted()
			c.working(other)
			if _, err := c.across(access, other, 0).Get(c.Context, ownedObject); err == nil {
				c.fail("reading an object in another bucket is denied", "it succeeds")
			}
		}),
		ownModes,
	}
}

// grantsEachMode grants access to two buckets, read-only to one of them.
func (c *C) grantsEachMode() {
	request := c.bothRequest()
	request.Buckets[0].Modes.ObjectData = readOnly
	access, err := c.grant(request)
	c.rangeSupported(err)
	if isCode(err, codes.InvalidArgument) {
		c.notSupported("access mode READ_ONLY", err)
	}
	c.setup("DriverGrantBucketAccess", err)
	limited := slices.IndexFunc(access.Buckets, func(b port.Bucket) bool { return b.ID == request.Buckets[0].ID })
	if limited < 0 || len(access.Buckets) != len(request.Buckets) {
		c.notReached("DriverGrantBucketAccess", errors.New("the response has not all buckets"))
	}
	c.works("the read-write bucket", c.use(access, 1-limited))
	if err := c.use(access, limited).Put(c.Context, "conformance/denied", nil); err == nil {
		c.setup("delete the object", c.use(access, limited).Delete(c.Context, "conformance/denied"))
		c.fail("writing to the read-only bucket is denied", "it succeeds")
	}
}
