package progress

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

var (
	first  = &spec.Scenario{Name: "first"}
	second = &spec.Scenario{Name: "second"}
	third  = &spec.Scenario{Name: "third"}
	step   = &spec.Step{Verb: "expect", Name: "it is ready"}
)

// begin starts two scenarios, and ends one and a third that was skipped.
func begin(o outcome.Observer) {
	o.ScenarioStarted(first, "first-1")
	o.ScenarioStarted(second, "second-2")
	o.StepStarted(second, step)
	o.ScenarioStarted(third, "")
	o.ScenarioEnded(outcome.Result{Scenario: third, Outcome: outcome.Skipped, Reason: "there is no driver"})
	time.Sleep(time.Second) //nolint:forbidigo // the clock is the bubble's
	o.ScenarioEnded(outcome.Result{Scenario: first, Outcome: outcome.Passed, Duration: time.Second})
}

func end(o outcome.Observer) {
	o.StepEnded(second, outcome.StepResult{Step: step})
	failed := outcome.Result{Scenario: second, Outcome: outcome.Failed, Duration: 1500 * time.Millisecond}
	failed.Failures = []outcome.Failure{{Position: document.Position{File: "s.yaml", Line: 5}, Message: "it is not ready\nat all"}}
	o.ScenarioEnded(failed)
}

func TestScenariosPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := NewScenarios(&out, 3)
		begin(s)
		end(s)
		closeTwice(t, s)
		want := "running 3 scenarios\n" +
			"[3/3] failed second in 1.5 s: s.yaml:5: it is not ready\n" +
			"3 of 3 scenarios in 1s, 1 failed, 1 skipped\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

// TestScenariosPlainLong: a hundred passing scenarios have a line every 15 seconds, with an
// estimate.
func TestScenariosPlainLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := NewScenarios(&out, 100)
		betweenTicks()
		for range 32 {
			time.Sleep(time.Second) //nolint:forbidigo // the clock is the bubble's
			s.ScenarioEnded(outcome.Result{Scenario: first, Outcome: outcome.Passed, Duration: time.Second})
		}
		closeTwice(t, s)
		want := "running 100 scenarios\n" +
			"14 of 100 scenarios in 15s, about 1m32s left\n" +
			"29 of 100 scenarios in 30s, about 1m13s left\n" +
			"32 of 100 scenarios in 32s, about 1m9s left\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

func TestScenariosLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := newLive(&out, func() int { return 40 }, 3)
		begin(s)
		time.Sleep(250 * time.Millisecond) //nolint:forbidigo // the clock is the bubble's
		synctest.Wait()
		want := []string{
			" - skipped third: there is no driver", " ✓ passed first in 1.0 s", " ⠹ second 1.2 s  expect it is ready",
			"   [################........] 2 of 3 s…", "",
		}
		if diff := cmp.Diff(want, redrawn(t, out.String())); diff != "" {
			t.Errorf("while one runs: -want, +got:\n%s", diff)
		}
		end(s)
		closeTwice(t, s)
		want = []string{
			" - skipped third: there is no driver", " ✓ passed first in 1.0 s", " ✗ failed second in 1.5 s: s.yaml:5: i…", "",
		}
		if diff := cmp.Diff(want, redrawn(t, out.String())); diff != "" {
			t.Errorf("at the end: -want, +got:\n%s", diff)
		}
	})
}

// TestScenariosMany runs more scenarios than fit on the screen.
func TestScenariosMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := newLive(&out, func() int { return 40 }, 100)
		for range 100 {
			s.ScenarioStarted(&spec.Scenario{Name: "one"}, "one-1")
		}
		if lines := redrawn(t, out.String()); len(lines) != maxLive+2 {
			t.Errorf("there are %d lines:\n%s", len(lines), strings.Join(lines, "\n"))
		}
		closeTwice(t, s)
	})
}

func TestScenariosInFile(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing is kept
	s := NewScenarios(file, 1)
	if _, ok := s.Observer.(*lines); !ok {
		t.Error("a file is treated as a terminal")
	}
	closeTwice(t, s)
}

var moves = regexp.MustCompile(`^(?:\x1b\[(\d+)A)?\r\x1b\[J`)

func redrawn(t *testing.T, text string) []string {
	t.Helper()
	text = strings.NewReplacer(green, "", red, "", plainText, "").Replace(text)
	lines := []string{""}
	for len(text) > 0 {
		if found := moves.FindStringSubmatch(text); found != nil {
			up, _ := strconv.Atoi(found[1]) // 0 without a match
			if up >= len(lines) {
				t.Fatalf("it goes %d lines up, and there are %d", up, len(lines))
			}
			lines = append(lines[:len(lines)-1-up], "")
			text = text[len(found[0]):]
			continue
		}
		if text[0] == '\n' {
			lines = append(lines, "")
		} else {
			lines[len(lines)-1] += text[:1]
		}
		text = text[1:]
	}
	return lines
}
