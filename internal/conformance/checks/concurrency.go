package checks

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// parallel is the number of simultaneous calls.
const parallel = 8

// together makes simultaneous calls, and returns the answers in the order of the callers. It waits
// for all calls. Each call has the timeout.
func together[T any](c *C, n int, call func(ctx context.Context, i int) (T, error)) ([]T, []error) {
	answers, errs := make([]T, n), make([]error, n)
	var calls sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		calls.Go(func() {
			<-start
			ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
			defer cancel()
			answers[i], errs[i] = call(ctx, i)
		})
	}
	close(start)
	calls.Wait()
	return answers, errs
}

func (c *C) createTogether() (port.BucketRequest, []*port.Bucket, []error) {
	c.mustCreate()
	request := c.bucketRequest()
	buckets, errs := together(c, parallel, func(ctx context.Context, _ int) (*port.Bucket, error) {
		return c.Raw.CreateBucket(ctx, request)
	})
	for i := range buckets {
		if i == 0 || errs[i] == nil {
			c.removeBucket(request, buckets[i])
		}
	}
	return request, buckets, errs
}

// mayRepeat are the codes for one of several simultaneous calls for the same thing.
func (c *C) mayRepeat() []codes.Code {
	may := []codes.Code{codes.OK, codes.Aborted, codes.Unavailable, codes.ResourceExhausted}
	if c.speaks(v1alpha1) {
		may = append(may, codes.AlreadyExists) // "if the call succeeded early"
	}
	return may
}

func (c *C) wantRepeatable(call string, errs []error) {
	for _, err := range errs {
		if !slices.Contains(c.mayRepeat(), status.Code(err)) {
			c.fail(fmt.Sprintf("each of %d simultaneous %s returns one of %v", parallel, call, c.mayRepeat()), "%s", explain(err))
		}
	}
}

func (c *C) grantTogether() []*port.Access {
	id := c.bucket().ID
	requests := make([]port.AccessRequest, parallel)
	for i := range requests {
		requests[i] = c.accessRequest(id)
	}
	accesses, errs := together(c, parallel, func(ctx context.Context, i int) (*port.Access, error) {
		return port.Patient(c.Raw, c.env.CallTimeout).Grant(ctx, requests[i])
	})
	for i := range accesses {
		c.removeAccess(requests[i], accesses[i])
	}
	for _, err := range errs {
		c.setup("simultaneous DriverGrantBucketAccess", err)
	}
	return accesses
}

func concurrency() []*Check {
	return []*Check{
		{
			ID: "CC-01", Title: "Simultaneous DriverCreateBucket calls for one bucket create one bucket", Profile: Core, Level: Must,
			Classes: []string{"D07"},
			Rule:    sourceCreate.says(sayOneBucket),
			run: func(c *C) {
				request, buckets, _ := c.createTogether()
				var last *port.Bucket
				err := c.persist(func() (err error) { last, err = c.create(request); return err })
				c.wantOK("DriverCreateBucket after simultaneous ones", err)
				for _, b := range buckets {
					if b != nil && b.ID != last.ID {
						c.fail(fmt.Sprintf("bucket %q", last.ID), "bucket %q, too", b.ID)
					}
				}
			},
		},
		{
			ID: "CC-02", Title: "Simultaneous DriverCreateBucket calls for one bucket succeed, or ask for a retry", Profile: Core, Level: Should,
			Classes: []string{"D07"}, Rule: sourceErrors.says(sayPending),
			run: func(c *C) {
				_, _, errs := c.createTogether()
				c.wantRepeatable("DriverCreateBucket", errs)
			},
		},
		{
			ID: "CC-03", Title: "Simultaneous DriverDeleteBucket calls for one bucket succeed, or ask for a retry", Profile: Core, Level: Should,
			Classes: []string{"D04", "D07"}, Rule: sourceErrors.says(sayPending),
			run: func(c *C) {
				c.mustDelete()
				id := c.bucket().ID
				_, errs := together(c, parallel, func(ctx context.Context, _ int) (struct{}, error) {
					return struct{}{}, c.Raw.DeleteBucket(ctx, id, c.env.Parameters.Bucket)
				})
				c.wantRepeatable("DriverDeleteBucket", errs)
			},
		},
		{
			ID: "CC-04", Title: "Simultaneous DriverGrantBucketAccess calls for one access grant one access", Profile: Core, Level: Must,
			Classes: []string{"D03", "D07"},
			Rule:    sourceGrant.says(sayOneAccess),
			run: func(c *C) {
				c.mustGrant()
				request := c.accessRequest(c.bucket().ID)
				accesses, _ := together(c, parallel, func(ctx context.Context, _ int) (*port.Access, error) {
					return c.Raw.Grant(ctx, request)
				})
				for _, access := range accesses {
					if access != nil {
						c.removeAccess(request, access)
					}
				}
				var last *port.Access
				err := c.persist(func() (err error) { last, err = c.grant(request); return err })
				c.wantOK("DriverGrantBucketAccess after simultaneous ones", err)
				for _, access := range accesses {
					if access != nil && access.AccountID != last.AccountID {
						c.fail(fmt.Sprintf("account %q", last.AccountID), "account %q, too", access.AccountID)
					}
				}
			},
		},
		{
			ID: "CC-05", Title: "All credentials of simultaneous DriverGrantBucketAccess calls for one bucket work", Profile: S3, Level: Must,
			Classes: []string{"D08"}, Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: func(c *C) {
				for _, access := range c.grantTogether() {
					c.works("each credential", c.use(access, 0))
				}
			},
		},
		{
			ID: "CC-06", Title: "The driver survives simultaneous calls for different buckets", Profile: Core, Level: Must,
			Classes: []string{"D09"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustCreate()
				requests := make([]port.BucketRequest, 2*parallel)
				for i := range requests {
					requests[i] = c.bucketRequest()
				}
				buckets, _ := together(c, len(requests), func(ctx context.Context, i int) (*port.Bucket, error) {
					return c.Raw.CreateBucket(ctx, requests[i])
				})
				for i, b := range buckets {
					c.removeBucket(requests[i], b)
				}
				ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
				defer cancel()
				if _, err := c.Raw.Info(ctx); err != nil {
					c.fail("the driver answers DriverGetInfo afterwards", "%s", explain(err))
				}
			},
		},
		{
			ID: "CC-07", Title: "Simultaneous DriverCreateBucket calls for different buckets succeed", Profile: Core, Level: Must,
			Classes: []string{"D09"}, Rule: sourcePending.says(sayOneEach),
			run: func(c *C) {
				c.mustCreate()
				requests := make([]port.BucketRequest, 2*parallel)
				for i := range requests {
					requests[i] = c.bucketRequest()
				}
				buckets, errs := together(c, len(requests), func(ctx context.Context, i int) (*port.Bucket, error) {
					return port.Patient(c.Raw, c.env.CallTimeout).CreateBucket(ctx, requests[i])
				})
				for i, b := range buckets {
					c.removeBucket(requests[i], b)
				}
				for _, err := range errs {
					if isCode(err, codes.Unavailable) {
						c.setup("simultaneous DriverCreateBucket", err)
					}
					c.wantOK("DriverCreateBucket beside others", err)
				}
			},
		},
		{
			ID: "CC-08", Title: "Simultaneous DriverRevokeBucketAccess calls for one access succeed, or ask for a retry", Profile: Core,
			Level: Should, Classes: []string{"D04", "D07"}, Rule: sourceErrors.says(sayPending),
			run: func(c *C) {
				c.mustRevoke()
				request, access := c.granted()
				_, errs := together(c, parallel, func(ctx context.Context, _ int) (struct{}, error) {
					return struct{}{}, c.Raw.Revoke(ctx, revocationOf(request, access))
				})
				c.wantRepeatable("DriverRevokeBucketAccess", errs)
			},
		},
		{
			ID: "CC-09", Title: "Simultaneous DriverGrantBucketAccess calls for different buckets succeed", Profile: Core, Level: Must,
			Classes: []string{"D09"}, Rule: sourcePending.says(sayOneEach),
			run: func(c *C) {
				c.mustGrant()
				requests := make([]port.AccessRequest, parallel)
				for i := range requests {
					requests[i] = c.accessRequest(c.bucket().ID)
				}
				accesses, errs := together(c, parallel, func(ctx context.Context, i int) (*port.Access, error) {
					return port.Patient(c.Raw, c.env.CallTimeout).Grant(ctx, requests[i])
				})
				for i, access := range accesses {
					c.removeAccess(requests[i], access)
				}
				for _, err := range errs {
					c.wantOK("DriverGrantBucketAccess beside others", err)
				}
			},
		},
		{
			ID: "CC-10", Title: "Simultaneous DriverRevokeBucketAccess calls for one bucket revoke these accesses, and no others", Profile: S3,
			Level: Must, Classes: []string{"D08", "D15"}, Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsS3},
			run: func(c *C) {
				id := c.bucket().ID
				requests, accesses := make([]port.AccessRequest, parallel), make([]*port.Access, parallel)
				for i := range requests {
					requests[i] = c.accessRequest(id)
					accesses[i] = c.access(requests[i])
					c.working(accesses[i])
				}
				_, errs := together(c, parallel/2, func(ctx context.Context, i int) (struct{}, error) {
					return struct{}{}, port.Patient(c.Raw, c.env.CallTimeout).Revoke(ctx, revocationOf(requests[i], accesses[i]))
				})
				for _, err := range errs {
					c.setup("simultaneous DriverRevokeBucketAccess", err)
				}
				for i, access := range accesses {
					if i < parallel/2 {
						c.isRevoked(c.use(access, 0))
					} else {
						c.works("each other credential", c.use(access, 0))
					}
				}
			},
		},
	}
}
