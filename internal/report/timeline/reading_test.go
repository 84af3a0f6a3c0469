package timeline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// one returns the section of a report about one scenario.
func one(t *testing.T, s report.Scenario) *html.Node {
	t.Helper()
	return byID(parse(t, write(t, report.New("v", start, s.Duration, []report.Scenario{s})), false), "s1")
}

func TestExpectedFailures(t *testing.T) {
	event := func(e journal.Event) journal.Event {
		e.Seq, e.Time, e.Component = 7, at(5), "store"
		return e
	}
	denied := event(journal.Event{Seam: journal.SeamStore, Operation: journal.Operation{Name: "PutObject"}, Outcome: "AccessDenied"})
	call := event(journal.Event{Seam: journal.SeamRPC, Operation: journal.Operation{Name: "DriverGetInfo"}, Outcome: "Internal"})
	faulty := call
	faulty.Fault = "flaky"
	crash := event(journal.Event{Seam: journal.SeamProcess, Operation: journal.Operation{Name: journal.StepCrash}, Outcome: journal.OutcomeOK})
	during := func(verb string, outcome outcome.Outcome) []report.Step {
		return []report.Step{{Verb: verb, Started: at(0), Duration: lasting(10), Outcome: outcome}}
	}
	tests := map[string]struct {
		reason   string
		event    journal.Event
		outcome  outcome.Outcome
		steps    []report.Step
		evidence []uint64
		bad      int
	}{
		"Call":      {reason: "Nothing explains it.", event: call, outcome: outcome.Failed, bad: 1},
		"Fault":     {reason: "The fault explains it.", event: faulty, outcome: outcome.Failed},
		"Evidence":  {reason: "It shows the failure.", event: faulty, outcome: outcome.Failed, evidence: []uint64{7}, bad: 1},
		"Passed":    {reason: "The scenario accepts it.", event: call, outcome: outcome.Passed},
		"Denied":    {reason: "The step expects it.", event: denied, outcome: outcome.Failed, steps: during("s3", outcome.Passed)},
		"NotDenied": {reason: "The step failed.", event: denied, outcome: outcome.Failed, steps: during("s3", outcome.Failed), bad: 1},
		"Crash":     {reason: "The step crashes it.", event: crash, outcome: outcome.Failed, steps: during("crash", outcome.Passed)},
		"OwnCrash":  {reason: "No step crashes it.", event: crash, outcome: outcome.Failed, steps: during("expect", outcome.Passed), bad: 1},
		"Successful": {
			reason: "It is no failure.", event: event(journal.Event{Seam: journal.SeamRPC, Outcome: journal.OutcomeOK}), outcome: outcome.Failed,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := report.Scenario{
				Name: "a", Outcome: tc.outcome, Started: start, Duration: lasting(20), Events: []journal.Event{tc.event}, Steps: tc.steps,
			}
			if tc.evidence != nil {
				s.Failures = []report.Failure{{Message: "wrong", Events: tc.evidence}}
			}
			section := one(t, s)
			if got := count(section, "mark", "bad"); got != tc.bad {
				t.Errorf("%s The picture has %d red marks, want %d", tc.reason, got, tc.bad)
			}
			if got := count(section, "row", "bad"); got != tc.bad {
				t.Errorf("%s The list has %d red rows, want %d", tc.reason, got, tc.bad)
			}
		})
	}
}

func TestSourceMarksTheFailingStep(t *testing.T) {
	s := lifecycle()
	s.Failures[0].Differences[0].Position = report.Position{File: "s.yaml", Line: 13}
	section := one(t, s)
	got := map[string]string{}
	for n := range find(section, "source") {
		if attribute(n, "open") == "" && !hasAttribute(n, "open") {
			t.Error("the file with the failing step is closed")
		}
		for line := range find(n) {
			if class := attribute(line, "class"); line.Data == "span" && class != "" {
				got[class] += textOf(line)
			}
		}
	}
	want := map[string]string{"failed": "14- expect: e ◀ failed here", "differs": "13- s3: d ◀ differs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func hasAttribute(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func TestAPIServerLane(t *testing.T) {
	r := &recorder{}
	r.life(5, "kube-apiserver", 0, journal.StepCrash)
	r.life(30, "kube-apiserver", 0, journal.StepReady)
	r.api(40, "get bucketclaims", "ns-1/photos", "")
	r.events[2].Fault, r.events[2].Outcome = "away", "ServiceUnavailable"
	r.api(50, "get bucketclaims", "ns-1/photos", "")
	r.events[3].Fault, r.events[3].Outcome = "away", "ServiceUnavailable"
	section := one(t, report.Scenario{Name: "a", Started: start, Duration: lasting(60), Events: r.events})
	text := textOf(section)
	for _, want := range []string{"kube-apiserver is down", "fault away: 2 requests to the API server failed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the lane does not say %q", want)
		}
	}
	without := one(t, report.Scenario{
		Name: "a", Started: start, Events: []journal.Event{{Seam: journal.SeamRPC, Component: "driver", Time: start}},
	})
	if strings.Contains(textOf(without), "kube-apiserver") != strings.Contains(textOf(without), "rejects requests to kube-apiserver") {
		t.Error("there is a lane of the API server, which did nothing")
	}
}

func TestAnchors(t *testing.T) {
	all := []report.Scenario{{Name: "claim"}, {Name: "C1 a check"}, {Name: "claim"}}
	root := parse(t, write(t, report.New("v", start, 0, all)), false)
	for anchor, section := range map[string]string{"name=claim": "s1", "name=C1-a-check": "s2"} {
		n := byID(root, anchor)
		if n == nil || attribute(n.Parent, "id") != section {
			t.Errorf("#%s does not lead to section %s", anchor, section)
		}
	}
}

func TestLegend(t *testing.T) {
	section := byID(parse(t, write(t, fixture()), false), "s2")
	legend := ""
	for n := range find(section, "legend-text") {
		legend = textOf(n)
	}
	for _, want := range []string{"a failure that was not expected", "a fault", "crashes", "idle time"} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend does not have %q: %s", want, legend)
		}
	}
}

func TestDiffColours(t *testing.T) {
	page := write(t, fixture())
	for _, want := range []string{".diff .expected { background: var(--diff-out); }", ".diff .got { background: var(--diff-in); }"} {
		if !strings.Contains(page, want) {
			t.Errorf("removed lines must be red, and added ones green: the style does not have %q", want)
		}
	}
}
