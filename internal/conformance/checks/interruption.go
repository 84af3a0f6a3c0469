package checks

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/internal/conformance/process"
)

// fractions are the moments of a call for an interruption, as shares of the duration of such a
// call: at once, in the middle, shortly before the end, and after it.
func fractions() []float64 { return []float64{0, 0.25, 0.5, 0.9, afterEnd} }

// afterEnd is the moment after the end of the call. On a busy machine, no share of a measured time
// is late enough.
const afterEnd = 2

// minMoment is the time after which a call has certainly been sent, even if it is answered at once.
const minMoment = time.Millisecond

func measure(call func()) time.Duration {
	start := time.Now()
	call()
	return time.Since(start)
}

// during acts at a moment of a call, a share of the duration of such a call. It returns after both.
func (c *C) during(moment float64, took time.Duration, call func(context.Context), do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.once(func(ctx context.Context) error { call(ctx); return nil }) // the answer does not matter
	}()
	if moment < afterEnd {
		timer := time.NewTimer(max(minMoment, time.Duration(moment*float64(took))))
		defer timer.Stop()
		<-timer.C
		do()
		<-done
		return
	}
	<-done
	do()
}

// round prepares a call, and returns a function that judges the driver after its restart.
type round func() (call func(context.Context), judge func())

// killed kills the driver at each moment of a call with a known duration. Each round has a call of
// its own.
func (c *C) killed(took time.Duration, prepare round) {
	c.ended(fractions(), took, c.env.Process.Kill, prepare)
}

// ended ends the driver at moments of a call, as shares of its duration.
func (c *C) ended(moments []float64, took time.Duration, end func(), prepare round) {
	for _, moment := range moments {
		call, judge := prepare()
		c.during(moment, took, call, end)
		c.start(process.How{})
		judge()
	}
}

// interruptions has the checks of calls during which the driver is killed.
func interruptions() []*Check {
	check := func(id, title string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: CrashSafety, Level: Must, Classes: []string{"D05", "D06"},
			Rule: sourceTimeouts.says(sayRetry), Needs: []Need{needsProcess}, run: run,
		}
	}
	return []*Check{
		check("CS-10", "A repeated DriverCreateBucket returns the same bucket after kill -9", func(c *C) {
			request := c.bucketRequest()
			first, err := c.create(request)
			c.setup("DriverCreateBucket", err)
			c.crash()
			second, err := c.create(request)
			c.wantOK("a repeated DriverCreateBucket", err)
			c.wantSame("bucket", first.ID, second.ID)
		}),
		check("CS-11", "A repeated DriverGrantBucketAccess returns the same account after kill -9", func(c *C) {
			request, first := c.granted()
			c.crash()
			second, err := c.grant(request)
			c.wantOK("a repeated DriverGrantBucketAccess", err)
			c.wantSame("account", first.AccountID, second.AccountID)
		}),
		check("CS-12", "DriverCreateBucket succeeds after kill -9 at different moments of it", func(c *C) {
			c.killed(measure(func() { c.bucket() }), c.createAndRepeat("DriverCreateBucket after kill -9"))
		}),
		check("CS-13", "DriverDeleteBucket succeeds after kill -9 at different moments of it", killedInDelete),
		check("CS-14", "DriverGrantBucketAccess succeeds after kill -9 at different moments of it", func(c *C) {
			c.killedInGrant(func(*port.Access) {})
		}),
		onData(check("CS-15", "The credentials of a DriverGrantBucketAccess work that was repeated after kill -9", func(c *C) {
			c.killedInGrant(func(access *port.Access) { c.works("the credential", c.use(access, 0)) })
		})),
		check("CS-16", "DriverRevokeBucketAccess succeeds after kill -9 at different moments of it", func(c *C) {
			c.killedInRevoke(func(*port.Access) func() { return func() {} })
		}),
		onData(check("CS-17", "Credentials stop working when their DriverRevokeBucketAccess is repeated after kill -9", func(c *C) {
			c.killedInRevoke(func(access *port.Access) func() {
				client := c.working(access)
				c.setup("delete the object", client.Delete(c.Context, "conformance/owned"))
				return func() { c.isRevoked(client) }
			})
		})),
	}
}

// onData returns a check of the profile S3, which uses credentials on the data plane.
func onData(check *Check) *Check {
	check.Profile, check.Needs = S3, append(check.Needs, needsS3)
	return check
}

// createAndRepeat creates a bucket, and requires a repetition to succeed.
func (c *C) createAndRepeat(what string) round {
	return func() (func(context.Context), func()) {
		request := c.bucketRequest()
		return func(ctx context.Context) { _, _ = c.Raw.CreateBucket(ctx, request) }, func() {
			c.wantOK(what, c.persist(func() error { _, err := c.create(request); return err }))
		}
	}
}

func killedInDelete(c *C) {
	took := measure(func() {
		c.setup("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, c.bucket().ID, c.env.Parameters.Bucket))
	})
	c.killed(took/2, func() (func(context.Context), func()) {
		id := c.bucket().ID
		remove := func(ctx context.Context) error { return c.Raw.DeleteBucket(ctx, id, c.env.Parameters.Bucket) }
		return func(ctx context.Context) { _ = remove(ctx) }, func() {
			c.wantOK("DriverDeleteBucket after kill -9", c.persist(func() error { return remove(c.Context) }))
			if c.speaks(v1alpha1) {
				return
			}
			if _, err := c.get(id); err == nil {
				c.fail("the bucket is gone", "DriverGetBucket finds it")
			}
		}
	})
}

// killedInGrant kills the driver in the middle of grants, repeats them, and judges their answers.
func (c *C) killedInGrant(judge func(*port.Access)) {
	id := c.bucket().ID
	c.killed(measure(func() { c.access(c.accessRequest(id)) }), func() (func(context.Context), func()) {
		request := c.accessRequest(id)
		return func(ctx context.Context) { _, _ = c.Raw.Grant(ctx, request) }, func() {
			var access *port.Access
			err := c.persist(func() (err error) { access, err = c.grant(request); return err })
			c.wantOK("DriverGrantBucketAccess after kill -9", err)
			judge(access)
		}
	})
}

// killedInRevoke kills the driver in the middle of revocations, repeats them, and judges the
// accesses.
func (c *C) killedInRevoke(watch func(*port.Access) (judge func())) {
	request, access := c.granted()
	took := measure(func() { c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access))) })
	c.killed(took, func() (func(context.Context), func()) {
		request := c.accessRequest(request.Buckets[0].ID)
		access := c.access(request)
		judge, revocation := watch(access), revocationOf(request, access)
		return func(ctx context.Context) { _ = c.Raw.Revoke(ctx, revocation) }, func() {
			c.wantOK("DriverRevokeBucketAccess after kill -9", c.persist(func() error { return c.Raw.Revoke(c.Context, revocation) }))
			judge()
		}
	})
}
