package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
)

const (
	// barClaim is how much longer a claim may take than its own writes.
	barClaim = 3
	// claimTimeout bounds the way of one claim, which takes milliseconds.
	claimTimeout = time.Minute
	// practice is how many claims are made before those that count, so that
	// connections are open and code has run.
	practice = 3
)

// measureClaims times claims, one after another, from their creation until they are provisioned. The
// baseline of each is the time of its writes when the same client makes them, one after another,
// right afterwards.
func measureClaims(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	return withProgram(ctx, opts, func(_ *program, t *target) ([]figure.Figure, error) {
		return t.measureClaims(ctx, opts.Claims, progress)
	})
}

func (t *target) measureClaims(ctx context.Context, count int, progress func(string)) ([]figure.Figure, error) {
	namespace, err := scale.CreateNamespace(ctx, t.client, "bench-")
	if err != nil {
		return nil, err
	}
	watcher, err := t.client.Watch(ctx, &v1alpha2.BucketClaimList{}, client.InNamespace(namespace))
	if err != nil {
		return nil, err
	}
	defer watcher.Stop()
	var all latencies
	for i := range practice + count {
		progress(turn("claim", i-practice+1, count))
		trip, err := t.measure(ctx, watcher, scale.NewClaim(namespace, "claim-"+strconv.Itoa(i), emulator.ClassStandard))
		if err != nil {
			return nil, err
		}
		if trip.replay, err = t.replay(ctx, watcher, trip.claim, trip.writes); err != nil {
			return nil, err
		}
		if i >= practice {
			all = append(all, trip)
		}
	}
	return []figure.Figure{all.figure()}, nil
}

// latency is the way of a claim to its bucket.
type latency struct {
	claim   *v1alpha2.BucketClaim
	elapsed time.Duration
	begin   time.Time
	// writes are the writes of controller and sidecar, in the order of their begin.
	writes []journal.Event
	// others are all other events of that time, of any object.
	others []journal.Event
	// replay is the duration of each write, sent alone.
	replay []time.Duration
}

// measure creates a claim and waits until it is provisioned. The time includes the
// creation itself.
func (t *target) measure(ctx context.Context, watcher watch.Interface, claim *v1alpha2.BucketClaim) (*latency, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, claimTimeout, fmt.Errorf("%s is not provisioned after %s", claim.Name, claimTimeout))
	defer cancel()
	if _, err := t.journal.next(); err != nil { // what came before
		return nil, err
	}
	begin := time.Now()
	if err := t.client.Create(ctx, claim); err != nil {
		return nil, err
	}
	err := await(ctx, watcher, func(c *v1alpha2.BucketClaim) bool { return c.UID == claim.UID && provisioned(c) })
	elapsed := time.Since(begin)
	if err != nil {
		return nil, err
	}
	result := &latency{claim: claim, begin: begin, elapsed: elapsed}
	events, err := t.journal.until(ctx, func(e journal.Event) bool { return saysProvisioned(e, claim) })
	if err != nil {
		return nil, fmt.Errorf("wait for the journal to tell of %s: %w", claim.Name, err)
	}
	result.sort(events)
	return result, nil
}

// sort finds the claim's own writes among the events.
func (t *latency) sort(events []journal.Event) {
	for _, e := range events {
		if isWriteFor(e, t.claim) {
			t.writes = append(t.writes, e)
		} else {
			t.others = append(t.others, e)
		}
	}
	slices.SortFunc(t.writes, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
}

func provisioned(claim *v1alpha2.BucketClaim) bool {
	return meta.IsStatusConditionTrue(claim.Status.Conditions, v1alpha2.ConditionProvisioned)
}

// saysProvisioned reports whether an event is the write by which the claim has
// become provisioned.
func saysProvisioned(e journal.Event, claim *v1alpha2.BucketClaim) bool {
	if !isWriteFor(e, claim) || resource(e) != "bucketclaims/status" {
		return false
	}
	written := &v1alpha2.BucketClaim{}
	return json.Unmarshal(e.Response, written) == nil && provisioned(written)
}
