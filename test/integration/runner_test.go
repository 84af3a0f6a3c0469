package integration_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/runner"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func TestInterrupted(t *testing.T) {
	const head = "---\napiVersion: cosi-emu/v1alpha1\nkind: Scenario\n"
	scenarios, err := spec.Loader{}.Parse("a.yaml",
		[]byte(head+"name: a\nsteps: [{mark: m}]\n"+head+"name: b\nsteps: [{crash: controller}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		cause  error
		want   string
	}{
		"Signal": {"A signal interrupts the run.", nil, "the run was interrupted"},
		"Limit":  {"It took too long.", errors.New("the limit is reached"), "the limit is reached"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(tc.cause)
			r := (&runner.Runner{Parallel: 4, Version: "v1"}).Run(ctx, scenarios)
			if r.Outcome != outcome.Broken || len(r.Scenarios) != 2 || r.Version != "v1" {
				t.Fatalf("%s the report is %+v", tc.reason, r)
			}
			for i, name := range []string{"a", "b"} {
				s := r.Scenarios[i]
				if s.Name != name || len(s.Failures) != 1 || !strings.Contains(s.Failures[0].Message, tc.want) {
					t.Errorf("%s scenario %d is %+v", tc.reason, i, s)
				}
			}
		})
	}
}
