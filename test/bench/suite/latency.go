package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// latencies are the ways of several claims.
type latencies []*latency

// figure compares the latencies with the replays of their writes.
func (ts latencies) figure() figure.Figure {
	var elapsed, writes, chains []time.Duration
	var count, inChain, calls []int
	for _, t := range ts {
		onChain := chain(t.writes)
		elapsed = append(elapsed, t.elapsed)
		writes = append(writes, sum(t.replay))
		chains = append(chains, sum(pick(t.replay, onChain)))
		count, inChain, calls = append(count, len(t.writes)), append(inChain, len(onChain)), append(calls, t.calls())
	}
	measured := figure.Times(elapsed)
	notes := []string{
		fmt.Sprintf("%d writes and %d calls to the driver for a claim; the baseline is the same writes, one after another",
			middle(count), middle(calls)),
		fmt.Sprintf("against only the %d writes of which each had to wait for the one before: %s x",
			middle(inChain), figure.Number(measured.Median/figure.Times(chains).Median)),
		ts.breakdown(),
	}
	return figure.Ratio("claim created to Provisioned=True", barClaim, measured, figure.Times(writes),
		append(notes, ts[len(ts)-1].describe()...)...)
}

// calls counts the calls of the sidecar to the driver.
func (t *latency) calls() int {
	calls := 0
	for _, e := range t.others {
		if e.Seam == journal.SeamRPC && e.Operation.Subject == bucketOf(t.claim) && e.Component == "sidecar" {
			calls++
		}
	}
	return calls
}

// describe lists the writes, with the times at which they began.
func (t *latency) describe() []string {
	var lines []string
	for i, e := range t.writes {
		lines = append(lines, fmt.Sprintf("after %4.1f ms, %s: %s took %.1f ms, replayed %.1f ms", figure.Milliseconds(e.Time.Sub(t.begin)),
			e.Component, e.Operation.Name, figure.Milliseconds(e.Duration), figure.Milliseconds(t.replay[i])))
	}
	return lines
}

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

func pick(times []time.Duration, indexes []int) []time.Duration {
	var picked []time.Duration
	for _, i := range indexes {
		picked = append(picked, times[i])
	}
	return picked
}

func middle(counts []int) int { return figure.Median(slices.Sorted(slices.Values(counts))) }
