package checks

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// keptObject is the object in a bucket that the check tries to delete.
const keptObject = "conformance/kept"

// deleteNonEmpty deletes a bucket with an object. It returns the first answer that does not ask for
// a retry, or the last one when the time to settle is over.
func (c *C) deleteNonEmpty() (port.BucketRequest, dataplane.Client, error) {
	c.mustDelete()
	request := c.bucketRequest()
	b, err := c.create(request)
	c.setup("DriverCreateBucket", err)
	client := c.use(c.access(c.accessRequest(b.ID)), 0)
	c.setup("use the credentials", c.write(client, keptObject))
	ctx, cancel := context.WithTimeout(c.Context, c.env.Settle)
	defer cancel()
	return request, client, c.Driver.DeleteBucket(ctx, b.ID, request.Parameters)
}

// keeps ends the check unless the driver keeps a bucket with an object.
func (c *C) keeps() {
	_, client, err := c.deleteNonEmpty()
	if _, gone := client.Get(c.Context, keptObject); gone != nil {
		c.fail("the object is still there after DriverDeleteBucket", "%v; the call returned %s", gone, explain(err))
	}
	if err == nil {
		c.fail("DriverDeleteBucket is rejected while the bucket has objects", "OK")
	}
}

func needsPolicy(policies ...string) Need {
	return func(env *Env) string {
		if slices.Contains(policies, env.Parameters.NonEmptyDeletion) {
			return ""
		}
		if env.Parameters.NonEmptyDeletion == "" {
			return "the parameters file does not state what happens to a bucket with objects (nonEmptyDeletion)"
		}
		return "the parameters file states nonEmptyDeletion: " + env.Parameters.NonEmptyDeletion
	}
}

// nonEmpty has the checks of the deletion of buckets with objects. The specification leaves the
// behaviour to drivers, but they must do as they declare.
func nonEmpty() []*Check {
	return []*Check{
		{
			ID: "DB-11", Title: "A bucket with objects is not deleted, unless the author of the driver declares it", Profile: S3, Level: Should,
			Rule: sourcePolicy.says(sayStated), Needs: []Need{needsS3, needsPolicy("")}, run: (*C).keeps,
		},
		{
			ID: "DB-12", Title: "A bucket with objects is not deleted, as stated", Profile: S3, Level: Must, Classes: []string{"D14"},
			Rule: sourcePolicy.says(sayStated), Needs: []Need{needsS3, needsPolicy(Reject)}, run: (*C).keeps,
		},
		{
			ID: "DB-13", Title: "DriverDeleteBucket returns FAILED_PRECONDITION for a bucket with objects", Profile: S3, Level: Should,
			Classes: []string{"D13"}, Rule: sourceCodes.says(sayNotEmpty), Needs: []Need{needsS3, needsPolicy("", Reject)},
			run: func(c *C) {
				_, _, err := c.deleteNonEmpty()
				c.wantCode("DriverDeleteBucket of a bucket with objects", err, codes.FailedPrecondition)
			},
		},
		{
			ID: "DB-14", Title: "A bucket is deleted together with its objects, as stated", Profile: S3, Level: Must, Classes: []string{"D14"},
			Rule: sourcePolicy.says(sayPurged), Needs: []Need{needsS3, needsPolicy(Purge)},
			run: func(c *C) {
				request, _, err := c.deleteNonEmpty()
				c.wantOK("DriverDeleteBucket of a bucket with objects", err)
				b, err := c.create(request)
				c.setup("DriverCreateBucket after DriverDeleteBucket", err)
				client := c.use(c.access(c.accessRequest(b.ID)), 0)
				c.setup("use the credentials", c.write(client, "conformance/new"))
				if _, err := client.Get(c.Context, keptObject); err == nil {
					c.fail("the bucket that is created again is empty", "it has the object")
				}
			},
		},
	}
}
