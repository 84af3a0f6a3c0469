package checks

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

const (
	workers     = 16
	sharedNames = 4
	stepsEach   = 6
	// judgeTime limits the judgement of a history. An undecided one counts as correct.
	judgeTime = 5 * time.Second
)

// The question of a call about a bucket's existence.
const (
	creates = "DriverCreateBucket"
	deletes = "DriverDeleteBucket"
	gets    = "DriverGetBucket"
	grantsA = "DriverGrantBucketAccess"
)

// The information in an answer. An answer without any may have had an effect, then or later.
const (
	yes = "OK"
	no  = "rejected: no such bucket"
)

type asked struct{ bucket, call string }

// register is a history of calls about the existence of buckets.
type register struct {
	mu         sync.Mutex
	start      time.Time
	operations []porcupine.Operation
}

func (r *register) record(worker int, input asked, call func() error) {
	began := time.Since(r.start).Nanoseconds()
	says := verdict(call())
	ended := time.Since(r.start).Nanoseconds()
	if says != yes && says != no {
		ended = math.MaxInt64 // it may happen later
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, porcupine.Operation{ClientId: worker, Input: input, Output: says, Call: began, Return: ended})
}

// verdict returns the information about a bucket's existence in an answer.
func verdict(err error) string {
	switch code := status.Code(err); code {
	case codes.OK:
		return yes
	case codes.NotFound, codes.FailedPrecondition:
		return no
	default:
		return code.String()
	}
}

// model is a bucket that exists, or does not. Only the information in an answer counts: another
// check decides whether a repeated call must succeed.
func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: partition,
		Init:      func() []any { return []any{false} },
		Step: func(state, input, output any) []any {
			return next(state == true, input.(asked).call, output) //nolint:forcetypeassert // it is
		},
	}
	return m.ToModel()
}

// next returns the states that a bucket can have after a call.
func next(exists bool, call string, says any) []any {
	switch {
	case call == creates && says == yes:
		return []any{true}
	case call == deletes && says == yes:
		return []any{false}
	case call == creates && says != no:
		return []any{exists, true}
	case call == deletes && says != no:
		return []any{exists, false}
	case (call == gets || call == grantsA) && (says == yes && !exists || says == no && exists):
		return nil
	default:
		return []any{exists}
	}
}

func partition(history []porcupine.Operation) [][]porcupine.Operation {
	var names []string
	parts := map[string][]porcupine.Operation{}
	for _, o := range history {
		name := o.Input.(asked).bucket //nolint:forcetypeassert // it is
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], o)
	}
	var all [][]porcupine.Operation
	for _, name := range names {
		all = append(all, parts[name])
	}
	return all
}

// judge ends the check unless some order of the calls makes every answer correct.
func (c *C) judge(r *register) {
	for _, one := range partition(r.operations) {
		if porcupine.CheckOperationsTimeout(model(), one, judgeTime) == porcupine.Illegal {
			c.fail("an order of the calls in which each answer is right", "%s", describeHistory(one))
		}
	}
}

func describeHistory(operations []porcupine.Operation) string {
	slices.SortFunc(operations, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for i, o := range operations {
		input := o.Input.(asked) //nolint:forcetypeassert // it is
		if i == 0 {
			fmt.Fprintf(&b, "for bucket %s:", input.bucket)
		}
		end := "end"
		if o.Return != math.MaxInt64 {
			end = time.Duration(o.Return).Round(time.Millisecond / 10).String()
		}
		fmt.Fprintf(&b, " %s-%s %s: %v;", time.Duration(o.Call).Round(time.Millisecond/10), end, input.call, o.Output)
	}
	return strings.TrimSuffix(b.String(), ";")
}

func atOnce(n int, work func(worker int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { work(i) })
	}
	all.Wait()
}

// linearizability has the checks of a history of simultaneous calls.
func linearizability() []*Check {
	return []*Check{
		{
			ID: "CC-20", Title: "With one call in flight for each bucket, each answer follows from the calls before", Profile: Core,
			Level: Must, Classes: []string{"D07", "D09", "D14"}, Rule: sourcePending.says(sayOneEach),
			run: (*C).oneInFlight,
		},
		{
			ID: "CC-21", Title: "The history of simultaneous calls for the same buckets is linearizable", Profile: Core, Level: Should,
			Classes: []string{"D07"}, Rule: sourceErrors.says(sayPending), Dialects: generatedBuckets,
			run: (*C).allAtOnce,
		},
	}
}

// lifecycle is the life of one bucket.
type lifecycle struct {
	bucket  port.BucketRequest
	id      string // of the bucket, once created
	unknown port.AccessRequest
	access  [2]port.AccessRequest
}

// oneInFlight creates, grants, revokes and deletes, with many buckets at the same time.
func (c *C) oneInFlight() {
	lives := make([]lifecycle, workers)
	for i := range lives {
		bucket := c.bucketRequest()
		lives[i] = lifecycle{
			bucket: bucket, id: bucket.Key, unknown: c.accessRequest(c.anyBucket()),
			access: [2]port.AccessRequest{c.accessRequest(c.anyBucket()), c.accessRequest(c.anyBucket())},
		}
	}
	history := &register{start: time.Now()}
	driver := port.Patient(c.Raw, c.env.CallTimeout)
	var mu sync.Mutex
	atOnce(workers, func(i int) {
		life := &lives[i]
		for round := range life.access {
			c.live(driver, history, i, life, life.access[round], &mu)
		}
	})
	c.judge(history)
}

// live is one life of a bucket: it is created, used and deleted, and then a grant must fail.
func (c *C) live(driver port.Driver, history *register, worker int, life *lifecycle, access port.AccessRequest, mu *sync.Mutex) {
	about := func(call string) asked { return asked{life.bucket.Key, call} }
	remove := func(request port.AccessRequest, granted *port.Access) {
		mu.Lock()
		defer mu.Unlock()
		c.removeAccess(request, granted)
	}
	for range 2 {
		history.record(worker, about(creates), func() error {
			b, err := driver.CreateBucket(c.Context, life.bucket)
			mu.Lock()
			defer mu.Unlock()
			c.removeBucket(life.bucket, b)
			if err == nil {
				life.id = b.ID
			}
			return err
		})
	}
	history.record(worker, about(grantsA), func() error {
		request := to(access, life.id)
		granted, err := driver.Grant(c.Context, request)
		remove(request, granted)
		if err == nil {
			_ = driver.Revoke(c.Context, revocationOf(request, granted)) // an access may prevent the deletion
		}
		return err
	})
	history.record(worker, about(deletes), func() error { return driver.DeleteBucket(c.Context, life.id, life.bucket.Parameters) })
	history.record(worker, about(grantsA), func() error {
		request := to(life.unknown, life.id)
		granted, err := driver.Grant(c.Context, request)
		remove(request, granted)
		return err
	})
}

func to(request port.AccessRequest, bucket string) port.AccessRequest {
	request.Buckets = slices.Clone(request.Buckets)
	request.Buckets[0].ID = bucket
	return request
}

// allAtOnce creates, looks up and deletes a few buckets, by many workers.
func (c *C) allAtOnce() {
	requests := make([]port.BucketRequest, sharedNames)
	for i := range requests {
		requests[i] = c.bucketRequest()
		c.removeBucket(requests[i], nil)
	}
	_, err := c.get(requests[0].Key)
	if !isCode(err, codes.NotFound) {
		c.notReached("DriverGetBucket", fmt.Errorf("it must return NOT_FOUND, and returned %s", explain(err)))
	}
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(c.env.Seed)) // it does not fail
	history := &register{start: time.Now()}
	atOnce(workers, func(i int) {
		random := rand.New(rand.NewPCG(seed.Sum64(), uint64(i))) //nolint:gosec // not for cryptography
		for range stepsEach {
			request := requests[random.IntN(len(requests))]
			call := []string{creates, deletes, gets, gets}[random.IntN(4)]
			history.record(i, asked{request.Key, call}, func() error { return c.ask(call, request) })
		}
	})
	c.judge(history)
}

func (c *C) ask(call string, request port.BucketRequest) error {
	ctx, cancel := context.WithTimeout(c.Context, c.env.CallTimeout)
	defer cancel()
	var err error
	switch call {
	case creates:
		_, err = c.Raw.CreateBucket(ctx, request)
	case deletes:
		err = c.Raw.DeleteBucket(ctx, request.Key, request.Parameters)
	default:
		_, err = c.Raw.GetBucket(ctx, request)
	}
	return err
}
