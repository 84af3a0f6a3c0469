package checks

import (
	"context"
	"time"
)

// moments are the times after which a call is cancelled.
func moments() []time.Duration {
	return []time.Duration{0, time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond}
}

// cancelled makes calls with contexts that end at different moments. The answers do not matter.
func (c *C) cancelled(call func(context.Context)) {
	for _, age := range moments() {
		ctx, cancel := context.WithTimeout(c.Context, age)
		call(ctx)
		cancel()
	}
}

func (c *C) restart() {
	c.setup("restart the driver", c.env.Restart(c.Context))
	if reason := c.reachable(); reason != "" {
		c.fail("the driver answers after a restart", "%s", reason)
	}
}

func life() []*Check { return append(cancellation(), restarts()...) }

func cancellation() []*Check {
	return []*Check{
		{
			ID: "LF-01", Title: "DriverCreateBucket succeeds after calls that were cancelled", Profile: Core, Level: Must,
			Classes: []string{"D05", "D23"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustCreate()
				request := c.bucketRequest()
				c.cancelled(func(ctx context.Context) { _, _ = c.Raw.CreateBucket(ctx, request) })
				c.wantOK("DriverCreateBucket after cancelled calls", c.persist(func() error { _, err := c.create(request); return err }))
			},
		},
		{
			ID: "LF-02", Title: "DriverGrantBucketAccess succeeds after calls that were cancelled", Profile: Core, Level: Must,
			Classes: []string{"D05", "D23"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustGrant()
				request := c.accessRequest(c.bucket().ID)
				c.cancelled(func(ctx context.Context) { _, _ = c.Raw.Grant(ctx, request) })
				c.wantOK("DriverGrantBucketAccess after cancelled calls", c.persist(func() error { _, err := c.grant(request); return err }))
			},
		},
		{
			ID: "LF-03", Title: "DriverDeleteBucket succeeds after calls that were cancelled", Profile: Core, Level: Must,
			Classes: []string{"D05", "D23"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustDelete()
				id := c.bucket().ID
				c.cancelled(func(ctx context.Context) { _ = c.Raw.DeleteBucket(ctx, id, c.env.Parameters.Bucket) })
				c.wantOK("DriverDeleteBucket after cancelled calls", c.persist(func() error {
					return c.Driver.DeleteBucket(c.Context, id, c.env.Parameters.Bucket)
				}))
			},
		},
		{
			ID: "LF-04", Title: "DriverRevokeBucketAccess succeeds after calls that were cancelled", Profile: Core, Level: Must,
			Classes: []string{"D05", "D23"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustRevoke()
				request, access := c.granted()
				revocation := revocationOf(request, access)
				c.cancelled(func(ctx context.Context) { _ = c.Raw.Revoke(ctx, revocation) })
				c.wantOK("DriverRevokeBucketAccess after cancelled calls", c.persist(func() error {
					return c.Driver.Revoke(c.Context, revocation)
				}))
			},
		},
	}
}

func restarts() []*Check {
	check := func(id, title string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: CrashSafety, Level: Must, Classes: []string{"D06"}, Rule: sourceTimeouts.says(sayRetry),
			Needs: []Need{needsRestart}, run: run,
		}
	}
	return []*Check{
		check("LF-10", "A repeated DriverCreateBucket returns the same bucket after a restart", func(c *C) {
			request := c.bucketRequest()
			first, err := c.create(request)
			c.setup("DriverCreateBucket", err)
			c.restart()
			second, err := c.create(request)
			c.wantOK("a repeated DriverCreateBucket", err)
			c.wantSame("bucket", first.ID, second.ID)
		}),
		check("LF-11", "A repeated DriverGrantBucketAccess returns the same account after a restart", func(c *C) {
			request, first := c.granted()
			c.restart()
			second, err := c.grant(request)
			c.wantOK("a repeated DriverGrantBucketAccess", err)
			c.wantSame("account", first.AccountID, second.AccountID)
		}),
		check("LF-12", "DriverDeleteBucket deletes a bucket that was created before a restart", func(c *C) {
			c.mustDelete()
			id := c.bucket().ID
			c.restart()
			c.wantOK("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, id, c.env.Parameters.Bucket))
			if c.speaks(v1alpha1) {
				return
			}
			if _, err := c.get(id); err == nil {
				c.fail("the bucket is gone", "DriverGetBucket finds it")
			}
		}),
		check("LF-13", "DriverRevokeBucketAccess revokes an access that was granted before a restart", func(c *C) {
			c.mustRevoke()
			request, access := c.granted()
			c.restart()
			c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
		}),
	}
}
