package explore

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func TestSmoke(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	text, err := os.ReadFile("testdata/lifecycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{File: "testdata/lifecycle.yaml", Text: text, MeasureSeams: os.Getenv("SEAMS") != "", Progress: func(p Progress) {
		t.Logf("%d/%d %d %.1f/s %s %s", p.Done, p.Total, p.Findings, p.Rate, p.Took.Round(time.Millisecond), p.Last)
	}}
	if b, err := time.ParseDuration(os.Getenv("BUDGET")); err == nil {
		opts.Budget = b
	}
	for _, k := range []Kind{Kind(os.Getenv("KIND"))} {
		if k != "" {
			opts.Kinds = append(opts.Kinds, k)
		}
	}
	r, err := Explore(t.Context(), opts)
	if err != nil {
		t.Error(err)
	}
	if r != nil {
		var own, kids syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
		_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &kids)
		cpu := func(u syscall.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }
		t.Logf("CPU per run: self %s, control planes %s; seams %s", cpu(own)/time.Duration(r.Runs), cpu(kids)/time.Duration(r.Runs), r.Seams)
		t.Logf("%d points, %d applicable, %d tried, %d runs, %.1f/s in %s, clean %s", r.Points, r.Applicable, r.Tried, r.Runs, r.Rate(), r.Duration, r.Clean)
		for _, u := range r.Unreached {
			t.Log("unreached", u)
		}
		for _, g := range r.Findings {
			t.Logf("%s: %s\n  diverged: %s\n  why: %s\n  %d cases: %q\n%s", g.Oracle, g.Message, g.Diverged, g.Why, len(g.Cases), g.Cases[:min(len(g.Cases), 4)], g.Shrunk)
		}
	}
}
