package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// clients is how many clients there are at the same time.
	clients = 16
	// size is that of all objects, in bytes.
	size = 4 << 10
	// reads is how many of a hundred requests are GET; the others are PUT.
	reads, hundred = 70, 100
	// objects is how many there are. PUT replaces one of them.
	objects = 1000
)

// result is what a server did in its turns.
type result struct {
	elapsed, cpu time.Duration
	hasCPU       bool
	latencies    []time.Duration
}

func (r *result) add(more result) {
	r.elapsed += more.elapsed
	r.cpu += more.cpu
	r.hasCPU = more.hasCPU
	r.latencies = append(r.latencies, more.latencies...)
}

// rate is in requests per second.
func (r *result) rate() float64 { return float64(len(r.latencies)) / r.elapsed.Seconds() }

// percentile returns the latency that so many of a hundred requests did not exceed.
func (r *result) percentile(percent int) time.Duration {
	slices.Sort(r.latencies)
	return r.latencies[min(len(r.latencies)*percent/hundred, len(r.latencies)-1)]
}

// String describes the result for people.
func (r *result) String() string {
	const median, slow = 50, 99
	text := fmt.Sprintf("%.0f requests/s, p50 %s, p99 %s", r.rate(), milliseconds(r.percentile(median)), milliseconds(r.percentile(slow)))
	if r.hasCPU {
		each := r.cpu / time.Duration(len(r.latencies))
		text += fmt.Sprintf(", %d us of the processors for each request", each.Microseconds())
	}
	return text
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func keyOf(i int) string { return fmt.Sprintf("prefix-%02d/object-%04d", i%hundred, i) }

// fill stores all objects.
func fill(ctx context.Context, c *client, data content) error {
	group, ctx := errgroup.WithContext(ctx)
	for first := range clients {
		group.Go(func() error {
			for i := first; i < objects; i += clients {
				if _, err := c.do(ctx, http.MethodPut, keyOf(i), data); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// mix reads and writes for a time.
func mix(ctx context.Context, c *client, data content, duration time.Duration, seed uint64) (result, error) {
	var lists [clients][]time.Duration
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for i := range clients {
		group.Go(func() (err error) {
			lists[i], err = mixOne(ctx, c, data, begin.Add(duration), rand.New(rand.NewPCG(seed, uint64(i)))) //nolint:gosec // it is no secret
			return err
		})
	}
	err := group.Wait()
	return result{elapsed: time.Since(begin), latencies: slices.Concat(lists[:]...)}, err
}

// mixOne is what one client does.
func mixOne(ctx context.Context, c *client, data content, end time.Time, random *rand.Rand) (latencies []time.Duration, err error) {
	nothing := newContent(nil)
	for now := time.Now(); now.Before(end) || len(latencies) == 0; {
		method, body := http.MethodPut, data
		if random.IntN(hundred) < reads {
			method, body = http.MethodGet, nothing
		}
		key := keyOf(random.IntN(objects))
		n, err := c.do(ctx, method, key, body)
		if err != nil {
			return latencies, err
		}
		if method == http.MethodGet && n != size {
			return latencies, fmt.Errorf("object %s has %d bytes, want %d", key, n, size)
		}
		done := time.Now()
		latencies = append(latencies, done.Sub(now))
		now = done
	}
	return latencies, nil
}
