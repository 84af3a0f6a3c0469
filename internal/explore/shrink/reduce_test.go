package shrink

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

const small = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: small
description: It has a few things.
steps:
- apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
- repeat: {times: 3, steps: [{expect: {ConfigMap/a: present}}]}
- calls: {events: [{operation: DriverCreateBucket, count: ..1}]}
`

func smallCandidate(t *testing.T) candidate {
	t.Helper()
	s, err := newTree("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	point := run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "b-*", Nth: 2}
	effects := plan.TimingOf(plan.DefaultCallTimeout).Trials([]run.Point{point}, []plan.Kind{plan.LoseReply, plan.Delay}, "")
	return candidate{s, effects}
}

// census counts the smaller candidates by the fields that they still have.
func census(t *testing.T, c candidate) map[string]int {
	t.Helper()
	found := map[string]int{}
	for smaller := range c.smaller() {
		text, err := smaller.tree.text()
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"apiVersion", "kind", "name", "steps", "apply", "data", "times: 1"} {
			if strings.Contains(string(text), field) {
				found[field]++
			}
		}
		if len(smaller.faults) == 1 {
			found["one fault"]++
		}
		found["all"]++
	}
	return found
}

func TestSmaller(t *testing.T) {
	c := smallCandidate(t)
	before, err := c.tree.text()
	if err != nil {
		t.Fatal(err)
	}
	found := census(t, c)
	for _, field := range requiredFields {
		if found[field] != found["all"] {
			t.Errorf("%s was removed", field)
		}
	}
	if found["one fault"] != 2 || found["times: 1"] != 1 || found["apply"] == found["all"] || found["data"] == found["all"] {
		t.Errorf("%v: want one fault of two, one repetition of three, fewer steps and fewer fields", found)
	}
	if after, err := c.tree.text(); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the candidate itself has changed, %v: %s", err, cmp.Diff(string(before), string(after)))
	}
}

func TestRender(t *testing.T) {
	c := smallCandidate(t)
	c.faults = c.faults[:1]
	text, err := c.render(cause.Group{Oracle: "leak", Explanation: cause.Explanation{Why: "it\nbroke"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `# Found by cosi-emu explore, by the oracle leak.
# Why: it broke.
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: small-leak
description: It has a few things.
steps:
  - inject: {name: lose-reply-1, seam: rpc, component: sidecar, operation: DriverCreateBucket, subject: b-*, nth: 2, loseReply: Unavailable}
  - apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
  - repeat: {times: 3, steps: [{expect: {ConfigMap/a: present}}]}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	all, err := spec.Loader{}.Parse("small-leak.yaml", text)
	if err != nil || len(all) != 1 || all[0].Steps[0].Inject == nil {
		t.Errorf("the rendered scenario is invalid: %v", err)
	}
}

func TestRenderDurations(t *testing.T) {
	c := smallCandidate(t)
	c.faults = c.faults[1:]
	text, err := c.render(cause.Group{Oracle: "leak"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (spec.Loader{}).Parse("delay.yaml", text); err != nil || !strings.Contains(string(text), "delay: 600ms") {
		t.Errorf("the duration is not rendered as text, %v:\n%s", err, text)
	}
}

// TestRenderTimeTravel verifies that a component has the time to act on an earlier state after the last step.
func TestRenderTimeTravel(t *testing.T) {
	c := smallCandidate(t)
	sidecar := run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "*"}
	c.faults = plan.Case{
		{Point: sidecar, Kind: plan.CrashAfter, Effect: fault.Effect{Crash: fault.After}},
		{Point: sidecar, Kind: plan.TimeTravel, Effect: fault.Effect{Lag: true, AsOf: "moment-1"}, Follows: true},
	}
	text, err := c.render(cause.Group{Oracle: "leak"})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"inject: {name: time-travel-2, seam: api, component: sidecar, operation: '*', asOf: moment-1, lag: true, since: crash-after-1}",
		"- settle:",
	} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("there is no line %q:\n%s", line, text)
		}
	}
	if !strings.HasSuffix(string(text), "- settle:\n") {
		t.Errorf("settle is not the last step:\n%s", text)
	}
}

// TestWaitSteps verifies that shrinking keeps the steps that wait before other steps.
func TestWaitSteps(t *testing.T) {
	s, err := newTree("waiting.yaml", []byte(`apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: waiting
steps:
- apply: {kind: ConfigMap, metadata: {name: a}}
- expect: {ConfigMap/a: {data: {first: wait}}}
- delete: [ConfigMap/a]
- expect: {ConfigMap/a: absent}
- settle: {quiet: 1s}
`))
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]bool{}
	for smaller := range (candidate{tree: s}).smaller() {
		text, err := smaller.tree.text()
		if err != nil {
			t.Fatal(err)
		}
		deletes := strings.Contains(string(text), "delete")
		if applies := strings.Contains(string(text), "apply"); applies && deletes && !strings.Contains(string(text), "first: wait") {
			t.Errorf("no step waits before the deletion:\n%s", text)
		}
		last["absent"] = last["absent"] || deletes && !strings.Contains(string(text), "absent")
		last["settle"] = last["settle"] || deletes && !strings.Contains(string(text), "settle")
	}
	if diff := cmp.Diff(map[string]bool{"absent": true, "settle": true}, last); diff != "" {
		t.Errorf("trailing wait steps were not removed: -want, +got:\n%s", diff)
	}
}

// TestShrinkPair verifies that a pair is first shrunk to each of its two parts, and that its
// scenario has two distinct faults.
func TestShrinkPair(t *testing.T) {
	called := run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1}
	c := smallCandidate(t)
	c.faults = plan.Case{
		{Point: called, Kind: plan.Kind(fault.Delete), Effect: fault.Effect{Interfere: fault.Delete, Object: "Namespace/" + run.Namespace}},
		{Point: called, Kind: plan.Fail, Effect: fault.Effect{Fail: "Unavailable"}},
	}
	var single []string
	for smaller := range c.smaller() {
		if len(smaller.faults) == 1 {
			single = append(single, smaller.faults.String())
		}
	}
	want := []string{c.faults[1:].String(), c.faults[:1].String()}
	if diff := cmp.Diff(want, single); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	text, err := c.render(cause.Group{Oracle: run.OracleDeletable})
	if err != nil {
		t.Fatal(err)
	}
	var injected []string
	s, err := source.ParseOne(spec.Loader{}, "small.yaml", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for i := range s.Steps {
		if s.Steps[i].Verb == "inject" {
			injected = append(injected, s.Steps[i].Inject.Name)
		}
	}
	if len(injected) != 2 || injected[0] == injected[1] {
		t.Errorf("faults %v in\n%s", injected, text)
	}
}

// TestWithoutFaultThatFollows verifies that a fault is removed with the trial that it follows.
func TestWithoutFaultThatFollows(t *testing.T) {
	c := candidate{faults: plan.Case{{Kind: plan.Kind(fault.FlipPolicy)}, {Kind: plan.Stale, Follows: true}, {Kind: plan.Fail}}}
	for smaller := range c.withoutFault() {
		if smaller.faults[0].Follows {
			t.Errorf("%s: the interference was removed, and the trial after it was not", smaller.faults)
		}
	}
}

// TestWithoutMoment verifies that the moment to which a component returns stays with it.
func TestWithoutMoment(t *testing.T) {
	travel := plan.Trial{Kind: plan.TimeTravel, Effect: fault.Effect{Lag: true, AsOf: "fail-1"}, Follows: true}
	c := candidate{faults: plan.Case{{Kind: plan.Fail}, {Kind: plan.CrashAfter}, travel}}
	var left []string
	for smaller := range c.withoutFault() {
		left = append(left, smaller.faults.String())
	}
	if diff := cmp.Diff([]string{c.faults[:1].String(), c.faults[:2].String()}, left); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestTree verifies that a scenario is rewritten for shrinking as for exploration.
func TestTree(t *testing.T) {
	const head = "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: calling\nsteps:\n"
	s, err := newTree("calling.yaml", []byte(head+`
- calls: {only: true, events: [{operation: DriverCreateBucket, count: 2}]}
- golden: {file: a.yaml, objects: [ConfigMap/a]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.text()
	if err != nil {
		t.Fatal(err)
	}
	want := head + "  - calls: {events: [{operation: DriverCreateBucket}], anyOrder: true}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
