package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Execute runs the checks one after another, and returns their report. The error is about
// the configuration: whatever the driver does is in the report. After the context has ended,
// the remaining checks are not reached.
func Execute(ctx context.Context, config Config) (*Report, error) {
	s, err := open(ctx, config)
	if err != nil {
		return nil, err
	}
	selected := s.selected() //nolint:contextcheck // a check gets its context when it runs
	s.progress(0, len(selected))
	for i, check := range selected {
		s.run(ctx, check)
		s.progress(i+1, len(selected))
	}
	return s.finish(), s.close(ctx)
}

func (s *session) progress(done, total int) {
	if s.config.OnProgress != nil {
		s.config.OnProgress(done, total)
	}
}

// Run runs each check as a subtest. A MUST check that failed, or was not reached, fails the
// test. A failed SHOULD check is logged.
func Run(t *testing.T, config Config) *Report {
	t.Helper()
	s, err := open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %s", s.config.Seed)
	if s.problem != nil {
		t.Error(s.problem)
	}
	if config.Rerun == "" {
		s.rerun = func(id string) string {
			return fmt.Sprintf("go test -run '^%s$/^%s$'", strings.ReplaceAll(t.Name(), "/", "$/^"), id)
		}
	}
	for _, check := range s.selected() {
		t.Run(check.ID, func(t *testing.T) { tell(t, s.run(t.Context(), check)) })
	}
	report := s.finish()
	if err := s.close(t.Context()); err != nil {
		t.Error(err)
	}
	return report
}

// tell reports a result to a test.
func tell(t *testing.T, result Result) {
	t.Helper()
	switch {
	case result.State == checks.Pass:
	case result.State == checks.Fail && result.Check.Level == checks.Must:
		t.Error(result.Explain())
	case result.State == checks.Fail:
		t.Log(result.Explain())
	case result.State == checks.NotReached && result.Check.Level == checks.Must:
		t.Error(result.Explain())
	default:
		t.Skip(result.Explain())
	}
}

// Checks returns all checks, in the order of a run, with the rules of the KEP.
func Checks() []Check {
	var all []Check
	for _, check := range checks.All() {
		all = append(all, describe(check, dialects.KEP))
	}
	return all
}

// Profiles returns the names of all profiles.
func Profiles() []string { return checks.Profiles() }
