package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

func TestLimits(t *testing.T) {
	tests := map[string]struct {
		reason, setup string
		want          spec.Limits
	}{
		"Default": {
			reason: "More than is needed.", setup: "{}",
			want: spec.Limits{
				Steps: 10_000, Duration: spec.Duration(10 * time.Minute), Objects: 1000, Puts: 1000, PutBytes: 64 << 20,
			},
		},
		"Given": {
			reason: "As the scenario says.", setup: "{limits: {steps: 20_000, duration: 1h, objects: 1, puts: 2, putBytes: 1Gi}}",
			want: spec.Limits{Steps: 20_000, Duration: spec.Duration(time.Hour), Objects: 1, Puts: 2, PutBytes: 1 << 30},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all, err := spec.Loader{}.Parse("s.yaml", []byte(head+"setup: "+tc.setup+"\nsteps: [{settle: }]\n"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, all[0].Setup.Limits.OrDefault()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSetupRejected is about limits and parameters. Each case has one problem.
//
//nolint:lll // one case a line
func TestSetupRejected(t *testing.T) {
	limits := func(text string) string { return head + "setup: {limits: {" + text + "}}\nsteps: [{settle: }]\n" }
	driver := func(text string) string {
		return head + "setup: {drivers: [{name: one, " + text + "}]}\nsteps: [{settle: }]\n"
	}
	loop := "repeat: {times: 10000, steps: [{mark: m}]}"
	tests := map[string]struct {
		reason, file, want string
	}{
		"Zero":       {reason: "Nothing could be done.", file: limits("steps: 0"), want: "s.yaml:4:25: the limit 0 must be greater than zero"},
		"Negative":   {reason: "Nor with less.", file: limits("objects: -5"), want: "s.yaml:4:27: the limit -5 must be greater than zero"},
		"NoNumber":   {reason: "How many?", file: limits("puts: many"), want: `s.yaml:4:24: "many" must be a whole number`},
		"NoBytes":    {reason: "Nothing at all.", file: limits("putBytes: 0"), want: `s.yaml:4:28: "0" must be a number of bytes`},
		"BadBytes":   {reason: "Which unit?", file: limits("putBytes: 5 megs"), want: `s.yaml:4:28: "5 megs" must be a number of bytes: a whole Kubernetes quantity`},
		"Duration":   {reason: "No time.", file: limits("duration: 0s"), want: "s.yaml:4:28: the duration 0s must be greater than zero"},
		"Unknown":    {reason: "Misspelt.", file: limits("step: 1"), want: `s.yaml:4:18: unknown field "step": did you mean "steps"?`},
		"List":       {reason: "Of what?", file: limits("steps: [1]"), want: "s.yaml:4:25:"},
		"Loop":       {reason: "One more than the default: the loop itself is a step.", file: head + "steps: [{" + loop + "}]\n", want: "s.yaml:4:9: with this step the scenario runs 10001 steps, and may run 10000"},
		"LoopInLoop": {reason: "They multiply.", file: head + "setup: {limits: {steps: 7}}\nsteps:\n- {mark: m}\n- repeat: {times: 2, steps: [{forEach: {in: [1, 2], steps: [{mark: n}]}}]}\n", want: "s.yaml:7:3: with this step the scenario runs 8 steps, and may run 7"},
		"Endless":    {reason: "More than a number can hold.", file: head + "steps: [{" + nested(6) + "}]\n", want: "s.yaml:4:9: with this step the scenario runs more steps than can be counted"},
		"Large":      {reason: "Known before it is put.", file: head + "setup: {limits: {putBytes: 1k}}\nsteps:\n- s3: {secret: a, put: k, size: 1001}\n", want: "s.yaml:6:3: the object has 1001 bytes, at most 1000 are allowed"},
		"NoSize":     {reason: "Leave it out.", file: head + "steps:\n- s3: {secret: a, put: k, size: -1}\n", want: `s.yaml:5:33: "-1" must be a number of bytes`},
		"Parameter":  {reason: "The driver does not know it.", file: driver("parameters: {latencies: 1s}"), want: `s.yaml:4:44: parameter "latencies" is not known`},
		"Value":      {reason: "The driver would reject it.", file: driver("parameters: {latency: soon}"), want: `s.yaml:4:44: parameter latency is "soon"`},
		"Joined":     {reason: "It is as it is.", file: driver("socket: 'unix:///x', parameters: {latency: 1s}"), want: `s.yaml:4:19: driver "one" already runs`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := files(map[string]string{"s.yaml": tc.file}).Load("s.yaml")
			problems := document.Problems(err)
			if len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), tc.want) {
				t.Errorf("%s\nLoad() = %v\nwant one problem that begins with %s", tc.reason, err, tc.want)
			}
		})
	}
}

// nested is loops within loops.
func nested(deep int) string {
	if deep == 0 {
		return "mark: m"
	}
	return fmt.Sprintf("repeat: {times: 10000, steps: [{%s}]}", nested(deep-1))
}

func TestDriverParameters(t *testing.T) {
	all, err := spec.Loader{}.Parse("s.yaml", []byte(head+
		"setup: {drivers: [{name: one, parameters: {latency: 5ms, maxAccounts: 3}}]}\nsteps: [{settle: }]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Driver{Name: "one", Parameters: spec.Parameters{"latency": "5ms", "maxAccounts": "3"}}
	if diff := cmp.Diff(want, all[0].Setup.Drivers[0], cmpopts.IgnoreTypes(document.Position{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
