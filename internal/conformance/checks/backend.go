package checks

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/conformance/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func needsBackend(env *Env) string {
	if env.Backend != nil {
		return ""
	}
	return "there is no backend command"
}

func (c *C) manipulate(what string, do func(context.Context) error) {
	e := c.env.History.Journal.Begin(vocabulary.Store, 0, journal.SeamProcess, journal.Operation{Name: what})
	err := do(c.Context)
	e.Outcome = journal.OutcomeOK
	if err != nil {
		e.Outcome, e.Message = "Failed", err.Error()
	}
	c.env.History.Journal.Append(e)
	if errors.Is(err, description.ErrUnsupported) {
		c.notSupported("backend command", err)
	}
	c.setup(what, err)
}

// lose deletes a bucket behind the driver's back.
func (c *C) lose(bucket string) {
	c.manipulate("lose "+bucket, func(ctx context.Context) error { return c.env.Backend.Lose(ctx, bucket) })
}

// failBackend makes the backend fail until heal, or the end of the check.
func (c *C) failBackend() {
	c.later(c.env.Backend.Heal)
	c.manipulate("fail", c.env.Backend.Fail)
}

func (c *C) heal() { c.manipulate("heal", c.env.Backend.Heal) }

// giveUp waits until the driver's process ends because its backend fails, or has had the time to
// end: a process that answers has started, and one that does not may still be starting.
func (c *C) giveUp() {
	starting, cancel := context.WithTimeout(c.Context, c.env.Settle)
	defer cancel()
	_ = c.env.Process.Await(starting) // a driver may wait for its backend before it answers
	serving, cancel := context.WithTimeout(c.Context, min(c.env.Settle, maxNotice))
	defer cancel()
	c.env.Process.WaitEnd(serving)
}

// maxNotice is the time for a driver that has started to end because its backend fails.
const maxNotice = 2 * time.Second

// once calls a driver with the timeout of a call, and does not repeat it.
func (c *C) once(call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
	defer cancel()
	return call(ctx)
}

// isRevoked ends the check if a client can still write, after the time to settle.
func (c *C) isRevoked(client dataplane.Client) {
	if err := c.settles(writing(client, revokedObject), isRejected); err == nil {
		c.setup("delete the object", client.Delete(c.Context, revokedObject))
		c.fail("a revoked credential cannot write", "it can")
	}
}

func lostBuckets() []*Check {
	return []*Check{
		{
			ID: "BE-01", Title: "DriverGetBucket returns NOT_FOUND for a bucket that the backend has lost", Profile: Core, Level: Must,
			Classes: []string{"D14"}, Rule: sourceGet.says(sayGetNotFound),
			Dialects: v1alpha2, Needs: []Need{needsBackend},
			run: func(c *C) {
				b := c.bucket()
				_, err := c.get(b.ID)
				c.setup("DriverGetBucket", err)
				c.lose(b.ID)
				if _, err := c.get(b.ID); !isCode(err, codes.NotFound) {
					c.fail("NOT_FOUND", "%s", explain(err))
				}
			},
		},
		{
			ID: "BE-02", Title: "DriverDeleteBucket returns OK for a bucket that the backend has lost", Profile: Core, Level: Must,
			Classes: []string{"D04"}, Rule: sourceDelete.says(sayDeleted), Needs: []Need{needsBackend},
			run: func(c *C) {
				b := c.bucket()
				c.lose(b.ID)
				c.wantOK("DriverDeleteBucket", c.Driver.DeleteBucket(c.Context, b.ID, c.env.Parameters.Bucket))
			},
		},
		{
			ID: "BE-03", Title: "DriverRevokeBucketAccess returns OK for an access to a bucket that the backend has lost", Profile: Core,
			Level: Must, Classes: []string{"D04"}, Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsBackend},
			run: func(c *C) {
				request, access := c.granted()
				c.lose(request.Buckets[0].ID)
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "BE-04", Title: "DriverGrantBucketAccess rejects a bucket that the backend has lost", Profile: Core, Level: Should,
			Classes: []string{"D11"}, Rule: sourceGrant.says(sayAccess), Needs: []Need{needsBackend},
			run: func(c *C) {
				b := c.bucket()
				request := c.accessRequest(b.ID)
				c.lose(b.ID)
				if _, err := c.grant(request); err == nil {
					c.fail("DriverGrantBucketAccess is rejected", "OK")
				}
			},
		},
		{
			ID: "BE-05", Title: "A DriverCreateBucket that returns OK for a bucket that the backend has lost creates it", Profile: S3,
			Level: Must, Classes: []string{"D14"}, Rule: sourceCreate.says(sayCreates), Needs: []Need{needsS3, needsBackend},
			run: func(c *C) {
				request := c.bucketRequest()
				b, err := c.create(request)
				c.setup("DriverCreateBucket", err)
				c.lose(b.ID)
				if b, err = c.create(request); err != nil {
					return // the result reports this failure
				}
				access, err := c.grant(c.accessRequest(b.ID))
				c.wantOK("DriverGrantBucketAccess for the bucket", err)
				c.works("a credential for the bucket", c.use(access, 0))
			},
		},
	}
}

// failing returns the error of one call while the backend fails.
func (c *C) failing(call func(ctx context.Context) error) error {
	c.failBackend()
	err := c.once(call)
	c.heal()
	return err
}

// terminal are the codes after which the sidecar does not retry.
func terminal(code codes.Code) bool {
	return code == codes.InvalidArgument || code == codes.AlreadyExists || code == codes.Unimplemented || code == codes.OutOfRange
}

func failedBackend() []*Check {
	check := func(id, title string, rule Rule, classes []string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: Core, Level: Must, Classes: classes, Rule: rule,
			Needs: []Need{needsBackend}, run: run,
		}
	}
	create := check("BE-10", "DriverCreateBucket does not return OK while the backend fails",
		sourceCreate.says(sayCreates), []string{"D14"},
		func(c *C) {
			request := c.bucketRequest()
			c.removeBucket(request, nil)
			c.wantFailure("DriverCreateBucket", c.failing(func(ctx context.Context) error {
				_, err := c.Raw.CreateBucket(ctx, request)
				return err
			}))
		})
	remove := check("BE-11", "DriverDeleteBucket does not return OK while the backend fails",
		sourceDelete.says(sayDeletes), []string{"D14"},
		func(c *C) {
			id := c.bucket().ID
			c.wantFailure("DriverDeleteBucket", c.failing(func(ctx context.Context) error {
				return c.Raw.DeleteBucket(ctx, id, c.env.Parameters.Bucket)
			}))
		})
	grant := check("BE-12", "DriverGrantBucketAccess returns an error while the backend fails, or credentials that work afterwards",
		sourceGrant.says(sayAccess), []string{"D14"},
		func(c *C) {
			request := c.accessRequest(c.bucket().ID)
			c.removeAccess(request, nil)
			var access *port.Access
			err := c.failing(func(ctx context.Context) (err error) {
				access, err = c.Raw.Grant(ctx, request)
				return err
			})
			if err != nil {
				return
			}
			if len(access.Buckets) == 0 {
				c.fail("DriverGrantBucketAccess returns an error, so that it is repeated", "OK")
			}
			c.works("the credential", c.use(access, 0)) // a driver may need no backend for it
		})
	revoke := check("BE-13", "DriverRevokeBucketAccess does not return OK while the backend fails", sourceRevoke.says(sayRevokes),
		[]string{"D14", "D15"}, func(c *C) {
			request, access := c.granted()
			c.wantFailure("DriverRevokeBucketAccess", c.failing(func(ctx context.Context) error {
				return c.Raw.Revoke(ctx, revocationOf(request, access))
			}))
		})
	return append([]*Check{create, remove, grant, revoke, lookup(), retries(), survives()}, recovery()...)
}

// wantFailure ends the check if a call succeeded although the backend failed.
func (c *C) wantFailure(call string, err error) {
	if err == nil {
		c.fail(call+" returns an error, so that it is repeated", "OK")
	}
}

// lookup checks that the driver does not mistake an outage for the loss of a bucket.
func lookup() *Check {
	return &Check{
		ID: "BE-14", Title: "DriverGetBucket does not return NOT_FOUND while the backend fails", Profile: Core, Level: Must,
		Classes: []string{"D14"}, Rule: sourceGet.says(sayGetNotFound),
		Dialects: v1alpha2, Needs: []Need{needsBackend},
		run: func(c *C) {
			b := c.bucket()
			_, err := c.get(b.ID)
			c.setup("DriverGetBucket", err)
			err = c.failing(func(ctx context.Context) error {
				_, err := c.Raw.GetBucket(ctx, c.namedBucket(b.ID))
				return err
			})
			if isCode(err, codes.NotFound) {
				c.fail("another code than NOT_FOUND", "%s", explain(err))
			}
		},
	}
}

// retries checks codes while the backend fails.
func retries() *Check {
	return &Check{
		ID: "BE-15", Title: "Errors while the backend fails have codes that the sidecar retries", Profile: Core, Level: Must,
		Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Needs: []Need{needsBackend},
		run: func(c *C) {
			request, access := c.granted()
			other, bucket, doomed := c.accessRequest(request.Buckets[0].ID), c.bucketRequest(), c.bucket().ID
			c.removeAccess(other, nil)
			c.removeBucket(bucket, nil)
			c.failBackend()
			for call, do := range map[string]func(context.Context) error{
				"DriverCreateBucket":       func(ctx context.Context) error { _, err := c.Raw.CreateBucket(ctx, bucket); return err },
				"DriverGrantBucketAccess":  func(ctx context.Context) error { _, err := c.Raw.Grant(ctx, other); return err },
				"DriverRevokeBucketAccess": func(ctx context.Context) error { return c.Raw.Revoke(ctx, revocationOf(request, access)) },
				"DriverDeleteBucket":       func(ctx context.Context) error { return c.Raw.DeleteBucket(ctx, doomed, c.env.Parameters.Bucket) },
			} {
				if err := c.once(do); terminal(status.Code(err)) {
					c.fail(call+" returns a code after which the sidecar retries, such as UNAVAILABLE", "%s", explain(err))
				}
			}
		},
	}
}

// survives checks that an outage of the backend does not end the driver.
func survives() *Check {
	return &Check{
		ID: "BE-16", Title: "The driver works again when its backend does, without a restart", Profile: Core, Level: Must,
		Classes: []string{"D09"}, Rule: sourceService.says(sayLong), Needs: []Need{needsBackend},
		run: func(c *C) {
			request := c.bucketRequest()
			_ = c.failing(func(ctx context.Context) error { _, err := c.Raw.CreateBucket(ctx, request); return err })
			c.wantOK("DriverCreateBucket", c.persist(func() error { _, err := c.create(request); return err }))
		},
	}
}

// failed makes the backend fail at each moment of a call with a known duration. Each round prepares
// its own call, and judges the driver when the backend works again.
func (c *C) failed(took time.Duration, round func() (call func(context.Context), judge func())) {
	for _, fraction := range fractions() {
		call, judge := round()
		c.later(c.env.Backend.Heal)
		var failed error
		c.during(fraction, took, call, func() { failed = c.env.Backend.Fail(c.Context) })
		c.heal()
		if errors.Is(failed, description.ErrUnsupported) {
			c.notSupported("backend command", failed)
		}
		c.setup("fail", failed)
		judge()
	}
}

// recovery has the checks of calls during which the backend fails.
func recovery() []*Check {
	check := func(id, title string, run func(*C)) *Check {
		return &Check{
			ID: id, Title: title, Profile: CrashSafety, Level: Must, Classes: []string{"D05"}, Rule: sourceTimeouts.says(sayRetry),
			Needs: []Need{needsBackend}, run: run,
		}
	}
	grants := func(judge func(*C, *port.Access)) func(*C) {
		return func(c *C) {
			id := c.bucket().ID
			c.failed(measure(func() { c.access(c.accessRequest(id)) }), func() (func(context.Context), func()) {
				request := c.accessRequest(id)
				return func(ctx context.Context) { _, _ = c.Raw.Grant(ctx, request) }, func() {
					var access *port.Access
					err := c.persist(func() (err error) { access, err = c.grant(request); return err })
					c.wantOK("DriverGrantBucketAccess after the backend failed", err)
					judge(c, access)
				}
			})
		}
	}
	return []*Check{
		check("BE-20", "DriverCreateBucket succeeds after the backend failed in the middle of it", func(c *C) {
			c.failed(measure(func() { c.bucket() }), func() (func(context.Context), func()) {
				request := c.bucketRequest()
				return func(ctx context.Context) { _, _ = c.Raw.CreateBucket(ctx, request) }, func() {
					c.wantOK("DriverCreateBucket after the backend failed", c.persist(func() error { _, err := c.create(request); return err }))
				}
			})
		}),
		check("BE-21", "DriverGrantBucketAccess succeeds after the backend failed in the middle of it", grants(func(*C, *port.Access) {})),
		onData(check("BE-22", "The credentials of a DriverGrantBucketAccess work that was repeated after the backend failed",
			grants(func(c *C, access *port.Access) { c.works("the credential", c.use(access, 0)) }))),
		onData(check("BE-23", "A DriverRevokeBucketAccess that was repeated after the backend failed revokes the access", func(c *C) {
			request, access := c.granted()
			client := c.working(access)
			c.setup("delete the object", client.Delete(c.Context, "conformance/owned"))
			revocation := revocationOf(request, access)
			_ = c.failing(func(ctx context.Context) error { return c.Raw.Revoke(ctx, revocation) })
			c.wantOK("DriverRevokeBucketAccess", c.persist(func() error { return c.Raw.Revoke(c.Context, revocation) }))
			c.isRevoked(client)
		})),
	}
}
