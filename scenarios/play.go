package scenarios

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func (s *stage) play(t T, scenario *spec.Scenario) {
	t.Helper()
	engine, emu, release, err := s.enter(t.Context())
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	defer func() {
		if err := release(); err != nil {
			t.Errorf("after the scenario: %v", err)
		}
	}()
	tell(t, emu, engine.Run(t.Context(), scenario))
}

// tell reports the outcome of a scenario as the test's own.
func tell(t T, emu *emulator.Emulator, result outcome.Result) {
	t.Helper()
	switch result.Outcome {
	case outcome.Passed:
		t.Logf("passed in %s", result.Duration)
	case outcome.Skipped:
		t.Skip(result.Reason)
	default:
		t.Errorf("%s", explain(t.Name(), emu.Journal(), result))
		if *keep {
			wait(t.Context(), emu, result)
		}
	}
}

// explain shows why a scenario has not passed, as `cosi-emu run` does.
func explain(test string, j *journal.Journal, result outcome.Result) string {
	events := result.Events(j, result.Scope.Own())
	var text strings.Builder
	shown := report.Text{Rerun: func(report.Scenario) string { return rerun(test) }}
	if err := shown.Write(&text, []report.Scenario{report.NewScenario(result, events)}); err != nil {
		return err.Error()
	}
	return text.String()
}

// rerun is the command that runs one test.
func rerun(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return fmt.Sprintf("go test -run '%s'", strings.Join(parts, "/"))
}

// wait keeps the emulator for inspection until the user interrupts it. The log of a test appears
// only after its end, so wait writes to standard error.
func wait(ctx context.Context, emu *emulator.Emulator, result outcome.Result) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	fmt.Fprintf(os.Stderr, "\n%s is kept as it is until Ctrl-C:\n\n"+
		"    kubectl --kubeconfig %s --namespace %s get bucketclaims,bucketaccesses\n\n",
		result.Scenario.Name, emu.Info().Kubeconfig, result.Namespace)
	<-ctx.Done()
}
