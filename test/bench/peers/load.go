package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

const (
	clients = workload.Clients
	// size is the size of each object, in bytes.
	size = 4 << 10
	// reads is how many of a hundred requests are GET; the others are PUT.
	reads, hundred = 70, 100
	// objects is how many there are. PUT replaces one of them.
	objects = 1000
)

// result is the result of a server's turns.
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
		text += fmt.Sprintf(", %d us of its processor time for each request", each.Microseconds())
	}
	return text
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func keyOf(i int) string { return fmt.Sprintf("prefix-%02d/object-%04d", i%hundred, i) }

// fill stores all objects.
func fill(ctx context.Context, c *workload.Client, data workload.Content) error {
	group, ctx := errgroup.WithContext(ctx)
	for first := range clients {
		group.Go(func() error {
			for i := first; i < objects; i += clients {
				if err := c.Put(ctx, keyOf(i), data); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// mix reads and writes for a time.
func mix(ctx context.Context, c *workload.Client, data workload.Content, duration time.Duration, seed uint64) (result, error) {
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
func mixOne(
	ctx context.Context, c *workload.Client, data workload.Content, end time.Time, random *rand.Rand,
) (latencies []time.Duration, err error) {
	for now := time.Now(); now.Before(end) || len(latencies) == 0; {
		key := keyOf(random.IntN(objects))
		if random.IntN(hundred) < reads {
			err = read(ctx, c, key)
		} else {
			err = c.Put(ctx, key, data)
		}
		if err != nil {
			return latencies, err
		}
		done := time.Now()
		latencies = append(latencies, done.Sub(now))
		now = done
	}
	return latencies, nil
}

func read(ctx context.Context, c *workload.Client, key string) error {
	n, err := c.Get(ctx, key)
	if err == nil && n != size {
		err = fmt.Errorf("object %s has %d bytes, want %d", key, n, size)
	}
	return err
}
