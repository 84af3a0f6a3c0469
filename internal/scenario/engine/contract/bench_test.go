package contract

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// simple is nearly the smallest scenario with a bucket.
const simple = `
steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
`

// BenchmarkScenario runs scenarios one after the other. It measures the wall time of each, and its
// ratio to the time of the API writes that the scenario needs. It compares nothing with other runs.
func BenchmarkScenario(b *testing.B) {
	emu := emulatortest.Start(b, emulator.Options{})
	e, s := engine.New(emu, engine.Options{}), parse(b, simple)
	pass(b, e, s) // fills caches and opens connections
	var walls []time.Duration
	var ratios []float64
	for b.Loop() {
		result := pass(b, e, s)
		b.StopTimer()
		walls = append(walls, result.Duration)
		writes := writing(emu, result) + creating(b, emu, result.Namespace+"-too")
		ratios = append(ratios, float64(result.Duration)/float64(writes))
		b.StartTimer()
	}
	slices.Sort(walls)
	slices.Sort(ratios)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scenarios/s")
	b.ReportMetric(float64(walls[len(walls)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(ratios[len(ratios)/2], "p50-of-writes")
}

// BenchmarkScenarioParallel measures scenarios that run at the same time.
func BenchmarkScenarioParallel(b *testing.B) {
	emu := emulatortest.Start(b, emulator.Options{})
	e, s := engine.New(emu, engine.Options{}), parse(b, simple)
	b.SetParallelism(4) // they wait most of the time
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if got := e.Run(b.Context(), s); got.Outcome != outcome.Passed {
				b.Error(explain(got))
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scenarios/s")
}

func pass(tb testing.TB, e *engine.Engine, s *spec.Scenario) outcome.Result {
	tb.Helper()
	result := e.Run(tb.Context(), s)
	if result.Outcome != outcome.Passed {
		tb.Fatal(explain(result))
	}
	return result
}

// creating returns the time to create a namespace, which the journal does not have because the
// scenario writes it.
func creating(b *testing.B, emu *emulator.Emulator, name string) time.Duration {
	b.Helper()
	started := time.Now()
	if err := emu.Client().Create(b.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		b.Fatal(err)
	}
	return time.Since(started)
}

// writing sums the durations of a scenario's API writes, by components and by its steps.
func writing(emu *emulator.Emulator, result outcome.Result) time.Duration {
	var sum time.Duration
	for _, e := range eventsOf(emu.Journal(), result) {
		if e.Write() && result.Scope.Own().Concerns(e) {
			sum += e.Duration
		}
	}
	for _, step := range result.Steps {
		if step.Step.Verb == "apply" || step.Step.Verb == "delete" {
			sum += step.Duration
		}
	}
	return sum
}

func eventsOf(j *journal.Journal, result outcome.Result) []journal.Event {
	events := j.Since(result.From - 1)
	end := slices.IndexFunc(events, func(e journal.Event) bool { return e.Seq > result.To })
	if end < 0 {
		return events
	}
	return events[:end]
}
