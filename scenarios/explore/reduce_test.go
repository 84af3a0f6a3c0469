package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

const small = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: small
description: It has a few things.
steps:
- apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
- repeat: {times: 3, steps: [{expect: {ConfigMap/a: present}}]}
- calls: {events: [{operation: DriverCreateBucket, count: 1}]}
`

func smallCandidate(t *testing.T) candidate {
	t.Helper()
	s, err := newSource("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	effects := timings.trials([]Point{{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 2}}, []Kind{LoseReply, Delay}, "")
	return candidate{s, effects}
}

func TestSmaller(t *testing.T) {
	c := smallCandidate(t)
	before, err := c.source.text()
	if err != nil {
		t.Fatal(err)
	}
	var faults, steps, once, data int
	for smaller := range c.smaller() {
		text, err := smaller.source.text()
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range required {
			if !strings.Contains(string(text), field+":") {
				t.Errorf("%s was taken away:\n%s", field, text)
			}
		}
		if len(smaller.faults) == 1 {
			faults++
		}
		if !strings.Contains(string(text), "apply") {
			steps++
		}
		if strings.Contains(string(text), "times: 1") {
			once++
		}
		if !strings.Contains(string(text), "data") {
			data++
		}
	}
	if faults != 2 || steps == 0 || once != 1 || data == 0 {
		t.Errorf("%d without a fault, %d without a step, %d once, %d without a field; want 2, some, 1, some", faults, steps, once, data)
	}
	if after, err := c.source.text(); err != nil || string(after) != string(before) {
		t.Errorf("the candidate itself has changed, %v: %s", err, cmp.Diff(string(before), string(after)))
	}
}

func TestUnfitSteps(t *testing.T) {
	s, err := load("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Steps) != 2 {
		t.Errorf("%d steps, want 2: how many calls there are is not explored", len(s.Steps))
	}
}

func TestRender(t *testing.T) {
	c := smallCandidate(t)
	c.faults = c.faults[:1]
	text, err := c.render(Group{Oracle: "leak", Why: "it\nbroke"})
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
  - inject: {name: lose-reply-1, seam: rpc, component: sidecar, operation: DriverCreateBucket, subject: bc-*, nth: 2, loseReply: Unavailable}
  - apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
  - repeat: {times: 3, steps: [{expect: {ConfigMap/a: present}}]}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	all, err := document.Loader{}.Parse("small-leak.yaml", text)
	if err != nil || len(all) != 1 || all[0].Steps[0].Inject == nil {
		t.Errorf("it cannot be read again: %v", err)
	}
}

func TestRenderDurations(t *testing.T) {
	c := smallCandidate(t)
	c.faults = c.faults[1:]
	text, err := c.render(Group{Oracle: "leak"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (document.Loader{}).Parse("delay.yaml", text); err != nil || !strings.Contains(string(text), "delay: 600ms") {
		t.Errorf("a duration is not as people write it, %v:\n%s", err, text)
	}
}
