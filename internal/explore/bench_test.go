//go:build unix

package explore

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// BenchmarkExplore explores a small and a larger sample of the base lifecycle on each control
// plane. The difference is the cost of a run without the start of the sandboxes. The processor time
// includes the programs.
//
//	go test ./internal/explore -run '^$' -bench Explore -benchtime 1x
func BenchmarkExplore(b *testing.B) {
	const few, many = 2 * leastSandboxes, 30
	for _, kind := range []emulator.ControlPlaneKind{emulator.ControlPlaneEnvtest, emulator.ControlPlaneEmbedded} {
		b.Run(string(kind), func(b *testing.B) {
			var small, large exploreCost
			for b.Loop() {
				small = small.plus(exploreSample(b, kind, few))
				large = large.plus(exploreSample(b, kind, many))
			}
			runs := float64(large.runs - small.runs)
			b.ReportMetric(runs/(large.elapsed-small.elapsed).Seconds(), "runs/s")
			b.ReportMetric(1e3*(large.used-small.used).Seconds()/runs, "cpu-ms/run")
		})
	}
}

type exploreCost struct {
	elapsed, used time.Duration
	runs          int
}

func (c exploreCost) plus(other exploreCost) exploreCost {
	return exploreCost{c.elapsed + other.elapsed, c.used + other.used, c.runs + other.runs}
}

func exploreSample(b *testing.B, kind emulator.ControlPlaneKind, sample int) exploreCost {
	b.Helper()
	const file = "testdata/lifecycle.yaml"
	content, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	opts := Options{File: file, Text: content, Sandboxes: leastSandboxes, Sample: sample}
	opts.Emulator.ControlPlaneKind = kind
	begin, used := time.Now(), usedByAll(b)
	report, err := Explore(b.Context(), opts)
	if err != nil {
		b.Fatal(err)
	}
	if len(report.Findings) > 0 {
		b.Errorf("%s: %s", kind, report.Findings[0].Message)
	}
	return exploreCost{time.Since(begin), usedByAll(b) - used, report.Runs}
}

// usedByAll returns the processor time of this process and of its ended children.
func usedByAll(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum
}
