package parts_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/test/bench/parts"
)

var out = flag.String("out", "", "directory for the profiles; empty keeps none")

const lifecycle = "../../../internal/explore/testdata/lifecycle.yaml"

// BenchmarkExplore prints the processor time and the allocations of a run of the base lifecycle, by part. A small sample
// is subtracted from a larger one, so that the start of the sandboxes is not counted.
func BenchmarkExplore(b *testing.B) {
	const few, many = 6, 66
	runtime.MemProfileRate = 64 << 10
	for b.Loop() {
		small, large := explored(b, few), explored(b, many)
		runs := large.runs - small.runs
		if runs <= 0 {
			b.Fatalf("%d and %d runs: the larger sample has no more", small.runs, large.runs)
		}
		b.ReportMetric(float64(runs)/(large.elapsed-small.elapsed).Seconds(), "runs/s")
		writeTable(b, small, large, runs)
		save(b, large)
	}
}

type cost struct {
	runs                      int
	elapsed                   time.Duration
	processor, memory         map[string]int64 // nanoseconds and bytes, by part
	cpuProfile, memoryProfile []byte
}

func explored(b *testing.B, sample int) cost {
	b.Helper()
	text, err := os.ReadFile(lifecycle)
	if err != nil {
		b.Fatal(err)
	}
	opts := explore.Options{File: lifecycle, Text: text, Sandboxes: 1, Sample: sample}
	opts.Emulator.ControlPlaneKind = emulator.ControlPlaneEmbedded
	before := allocations(b)
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	report, err := explore.Explore(b.Context(), opts)
	elapsed := time.Since(began)
	pprof.StopCPUProfile()
	if err != nil {
		b.Fatal(err)
	}
	after := allocations(b)
	c := cost{runs: report.Runs, elapsed: elapsed, cpuProfile: cpu.Bytes(), memoryProfile: after}
	c.processor = parts.Of(parsed(b, c.cpuProfile), "cpu")
	c.memory = parts.Of(parsed(b, after), "alloc_space")
	for part, bytes := range parts.Of(parsed(b, before), "alloc_space") {
		c.memory[part] -= bytes
	}
	return c
}

func allocations(b *testing.B) []byte {
	b.Helper()
	runtime.GC() // the profile ends at the last collection
	var heap bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&heap, 0); err != nil {
		b.Fatal(err)
	}
	return heap.Bytes()
}

func parsed(b *testing.B, data []byte) *profile.Profile {
	b.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func writeTable(b *testing.B, small, large cost, runs int) {
	b.Helper()
	var sum float64
	for _, part := range parts.All() {
		sum += float64(large.processor[part] - small.processor[part])
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(part string, used float64, made int64) {
		_, _ = fmt.Fprintf(table, "%s\t%.1f\t%.0f %%\t%d\t\n", // Flush returns the error
			part, used/1e6/float64(runs), 100*used/sum, made/int64(1000*runs))
	}
	_, _ = fmt.Fprintf(table, "part\tprocessor, ms/run\tshare\tallocated, kB/run\t\n")
	var all int64
	for _, part := range parts.All() {
		made := large.memory[part] - small.memory[part]
		all += made
		line(part, float64(large.processor[part]-small.processor[part]), made)
	}
	line(fmt.Sprintf("all, of %d runs", runs), sum, all)
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
}

func save(b *testing.B, c cost) {
	b.Helper()
	if *out == "" {
		return
	}
	for name, data := range map[string][]byte{"cpu.pprof": c.cpuProfile, "allocs.pprof": c.memoryProfile} {
		if err := os.WriteFile(filepath.Join(*out, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}
