package contract

import (
	"context"
	"flag"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

var memoryRuns = flag.Int("memory.runs", 1000, "how often TestLongMemory runs its scenario")

const (
	// grownBytes is the growth of memory that each run may cause after the first fifth. Whatever
	// the emulator keeps of a run takes more, even one Kubernetes object in a cache.
	grownBytes = 1000
	// isTransient is the growth of memory that may occur regardless of the number of runs. The
	// emulator's memory of deletions and keys has a bound of a megabyte that the first runs do not
	// reach. A manager of controller-runtime that has ended and is still held takes nearly one
	// megabyte, and there may be as many as ran at once.
	isTransient = (1 + memoryAtOnce) << 20
	// runsPerGoroutine is the least number of runs per additional goroutine. Connections come and
	// go, but leaks add up.
	runsPerGoroutine = 5
	memoryAtOnce     = 4
	// memoryMargin is the time before the test binary's deadline at which the runs end on a busy
	// machine. The test judges the memory per run, so it needs fewer.
	memoryMargin = time.Minute
	// settling is the time during which memory is watched: a timer keeps managers of
	// controller-runtime for half a minute after they have ended.
	settling, settlingEvery = 40 * time.Second, 5 * time.Second
	// fewestRuns is the least number of runs that shows a trend.
	fewestRuns = 100
	// sampled is the average number of bytes between allocations that are profiled.
	sampled = 4 << 10
)

// own is a scenario that makes the engine create everything it can: a driver and a sidecar,
// classes, an access, and the notes of the oracles.
const own = `
setup: {drivers: [{name: d}]}
steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- apply:
    kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
- delete: BucketAccess/app
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
`

// startOnPrograms starts an emulator whose API server is another process: the embedded one keeps
// all objects and their history in memory.
func startOnPrograms(t *testing.T, opts emulator.Options) *emulator.Emulator {
	t.Helper()
	opts.ControlPlaneKind = emulator.ControlPlaneEnvtest
	emu, err := emulator.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return emu
}

// TestLongMemory runs a scenario 1,000 times on one emulator.
func TestLongMemory(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = sampled
	ctx, started := t.Context(), time.Now()
	limit := 24 * time.Hour
	if deadline, ok := t.Deadline(); ok {
		limit = time.Until(deadline) - 2*settling - memoryMargin
	}
	end := started.Add(limit)
	// The journal reaches its limit in the first runs.
	emu := startOnPrograms(t, emulator.Options{JournalBytes: 1 << 20})
	e, s := engine.New(emu, engine.Options{}), parse(t, own)
	warm := many(t, e, s, *memoryRuns/5, started.Add(limit/5))
	before, started := settled(ctx), time.Now()
	more := many(t, e, s, *memoryRuns-warm, end)
	took := time.Since(started).Round(time.Second)
	after := settled(ctx)
	t.Logf("%d KiB after %d runs, %d KiB after %d more, which took %s; %d and %d goroutines; Events kept: %d and %d KiB",
		before.bytes>>10, warm, after.bytes>>10, more, took,
		before.goroutines, after.goroutines, before.events>>10, after.events>>10)
	if more < fewestRuns {
		t.Fatalf("only %d runs were made in %s, which is too few to judge by", warm+more, limit)
	}
	if grown, most := after.bytes-before.bytes, int64(more*grownBytes+isTransient); grown > most {
		t.Errorf("%d runs keep %d bytes, want at most %d", more, grown, most)
	}
	if grown := after.goroutines - before.goroutines; grown > more/runsPerGoroutine {
		t.Errorf("there are %d goroutines more after %d runs than after %d", grown, warm+more, warm)
	}
}

// many runs a scenario repeatedly, several at once, until a time, and returns the number of runs.
func many(t *testing.T, e *engine.Engine, s *spec.Scenario, times int, until time.Time) int {
	t.Helper()
	var started, done atomic.Int64
	var all sync.WaitGroup
	for range memoryAtOnce {
		all.Go(func() {
			for started.Add(1) <= int64(times) && time.Now().Before(until) {
				if result := e.Run(t.Context(), s); result.Outcome != outcome.Passed {
					t.Error(explain(result))
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return int(done.Load())
}

type usage struct {
	bytes      int64 // reachable, without events
	events     int64 // what client-go keeps of each Event for 6 to 12 minutes
	goroutines int
}

// settled returns the least usage while nothing runs.
func settled(ctx context.Context) usage {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	ticker := time.NewTicker(settlingEvery)
	defer ticker.Stop()
	least := look()
	for {
		select {
		case <-ctx.Done():
			return least
		case <-ticker.C:
			now := look()
			least = usage{min(least.bytes, now.bytes), min(least.events, now.events), min(least.goroutines, now.goroutines)}
		}
	}
}

func look() usage {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // finalizers release memory one cycle later, and so do profiles
	runtime.ReadMemStats(&stats)
	events := heldBy("k8s.io/client-go/tools/events.")
	return usage{bytes: int64(stats.HeapAlloc) - events, events: events, goroutines: runtime.NumGoroutine()} //nolint:gosec // far below
}

// heldBy estimates the number of bytes in use that a package has allocated, directly or through
// others.
func heldBy(function string) int64 {
	var records []runtime.MemProfileRecord
	n, ok := runtime.MemProfile(nil, false)
	for !ok {
		records = make([]runtime.MemProfileRecord, n+50)
		n, ok = runtime.MemProfile(records, false)
	}
	var sum float64
	for _, record := range records[:n] {
		if !slices.ContainsFunc(record.Stack(), func(at uintptr) bool {
			f := runtime.FuncForPC(at - 1)
			return f != nil && strings.HasPrefix(f.Name(), function)
		}) {
			continue
		}
		average := float64(record.InUseBytes()) / float64(record.InUseObjects())
		sum += float64(record.InUseBytes()) / (1 - math.Exp(-average/sampled))
	}
	return int64(sum)
}
