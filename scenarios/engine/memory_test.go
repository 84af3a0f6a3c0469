package engine_test

import (
	"runtime"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios/engine"
)

const (
	// warmRuns fill what has a size that it keeps, the journal above all.
	warmRuns, allRuns = 200, 1000
	// grownBytes is how much more may be in use after allRuns than after warmRuns.
	// What is kept of each run, be it only an object of Kubernetes in a cache,
	// takes more than 1.5 KB, and would be seen.
	grownBytes = (allRuns - warmRuns) * 1500
)

// TestMemoryIsFlat runs a scenario 1,000 times on one emulator.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	emu := emulatortest.Start(t, emulator.Options{})
	e, s := engine.New(emu, engine.Options{}), parse(t, simple)
	for range warmRuns {
		pass(t, e, s)
	}
	warm, goroutines := live(), runtime.NumGoroutine()
	for range allRuns - warmRuns {
		pass(t, e, s)
	}
	end := live()
	t.Logf("%d KiB after %d runs, %d KiB after %d; %d and %d goroutines",
		warm>>10, warmRuns, end>>10, allRuns, goroutines, runtime.NumGoroutine())
	if grown := int64(end) - int64(warm); grown > grownBytes {
		t.Errorf("%d bytes more are in use after %d runs than after %d, want at most %d", grown, allRuns, warmRuns, grownBytes)
	}
	if more := runtime.NumGoroutine() - goroutines; more > 20 {
		t.Errorf("there are %d goroutines more after %d runs than after %d", more, allRuns, warmRuns)
	}
}

// live returns how many bytes are reachable.
func live() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers have let go of
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
