package source

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func outline(steps []spec.Step) (lines []string) {
	for i := range steps {
		line := steps[i].Verb
		for _, asked := range []*spec.Events{steps[i].Calls, steps[i].Never} {
			if asked == nil {
				continue
			}
			line += fmt.Sprintf(" only %v, any order %v:", asked.Only, asked.AnyOrder)
			for _, e := range asked.Events {
				line += fmt.Sprintf(" %s %v %s", e.Operation.Source(), e.Count, e.Outcome.Source())
			}
		}
		lines = append(lines, line)
		for _, within := range steps[i].Within() {
			lines = append(lines, outline(within)...)
		}
	}
	return lines
}

// TestRewriteSteps verifies that calls stays without its limits, and that steps which a fault
// changes are removed.
func TestRewriteSteps(t *testing.T) {
	const text = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: calling
steps:
- apply: {kind: ConfigMap, metadata: {name: a}}
- calls: {events: [{operation: DriverCreateBucket, count: ..1}]}
- golden: {file: a.yaml, objects: [ConfigMap/a]}
- never: {events: [{seam: api, operation: create events}]}
- never: {events: [{seam: api, operation: create events}, {seam: api, operation: "patch *"}, {seam: api, operation: delete buckets}]}
- repeat:
    times: 2
    steps:
    - calls: {only: true, events: [{operation: DriverGetInfo, count: 2}, {operation: DriverGetBucket, count: "0"}]}
    - calls: {events: [{seam: api, operation: "* events"}]}
    - expect: {ConfigMap/a: present}
- calls:
    events:
    - {operation: DriverDeleteBucket, outcome: OK}
    - {seam: api, operation: delete buckets, outcome: OK}
    - {seam: api, operation: delete bucketclaims, outcome: NotFound}
    - {seam: api, operation: get buckets, outcome: OK}
`
	const want = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: calling
steps:
  - apply: {kind: ConfigMap, metadata: {name: a}}
  - never: {events: [{seam: api, operation: delete buckets}]}
  - repeat:
      times: 2
      steps:
        - calls: {events: [{operation: DriverGetInfo}], anyOrder: true}
        - expect: {ConfigMap/a: present}
  - calls:
      events:
        - {operation: DriverDeleteBucket, outcome: OK}
        - {seam: api, operation: delete buckets}
        - {seam: api, operation: delete bucketclaims, outcome: NotFound}
        - {seam: api, operation: get buckets, outcome: OK}
      anyOrder: true
`
	explored, err := Load("calling.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	same, err := Load("calling.yaml", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outline(same.Steps), outline(explored.Steps)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
