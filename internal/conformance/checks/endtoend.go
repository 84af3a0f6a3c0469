package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
)

// Scenarios runs scenarios of the suite with COSI and the driver.
type Scenarios interface {
	// Run runs a scenario. The error explains why it could not run.
	Run(ctx context.Context, name string) (ScenarioResult, error)
	// Explore runs a scenario with every fault at every call of the driver.
	Explore(ctx context.Context, name string) (ScenarioResult, error)
}

// ScenarioResult is the result of a scenario.
type ScenarioResult struct {
	// Failures are empty if it passed.
	Failures []string
	// Skipped is the reason why it did not run.
	Skipped string
	// Rerun is a command that runs just this scenario.
	Rerun string
}

const (
	// scenarioTime limits a scenario, with the start of COSI, and exploreTime an exploration.
	scenarioTime = 5 * time.Minute
	exploreTime  = 15 * time.Minute
	// shownFailures is the maximum number of reported failures of a scenario.
	shownFailures = 3
)

func needsScenarios(env *Env) string {
	if env.EndToEnd == nil {
		return "COSI reaches a driver over a UNIX socket only"
	}
	return ""
}

// scenario ends the check unless a scenario of the suite passes. Scenarios for v1alpha1 have a
// prefix.
func (c *C) scenario(name string, run func(Scenarios, context.Context, string) (ScenarioResult, error)) {
	if c.speaks(v1alpha1) {
		name = "v1alpha1-" + name
	}
	result, err := run(c.env.EndToEnd, c.Context, name)
	switch {
	case err != nil:
		c.notReached("run scenario "+name, err)
	case result.Skipped != "" && c.speaks(bridged):
		c.notSupported("scenario "+name+" with a driver of "+c.Raw.Dialect().Protocol(), errors.New(result.Skipped))
	case result.Skipped != "":
		c.notReached("run scenario "+name, fmt.Errorf("it was skipped: %s", result.Skipped))
	case len(result.Failures) > 0:
		shown := result.Failures[:min(shownFailures, len(result.Failures))]
		c.fail("scenario "+name+" passes", "%s: %s\nmore: %s",
			counted.Of(len(result.Failures), "failure"), strings.Join(shown, "\n"), result.Rerun)
	}
}

// endToEnd has the checks with COSI's controller and sidecar, in a control plane of their own.
func endToEnd() []*Check {
	check := func(id, scenario, title string, rule Rule, classes ...string) *Check {
		return &Check{
			ID: id, Title: title, Profile: EndToEnd, Level: Must, Rule: rule, Classes: classes,
			Needs: []Need{needsS3, needsScenarios}, limit: scenarioTime,
			run: func(c *C) { c.scenario(scenario, Scenarios.Run) },
		}
	}
	reader := check("EE-11", "limited-reader", "An application with a read-only access reads, and cannot write",
		sourceMode.says(sayModes), "D17")
	several := check("EE-12", "one-key-for-two-buckets", "An application uses two buckets with one key",
		sourceAccount.says(saySingle), "D16")
	reader.Dialects, several.Dialects = accessModes, v1alpha2
	reader.run = func(c *C) {
		if _, err := c.grantWithMode(c.bucket().ID, readOnly); err != nil {
			c.notSupported("access mode READ_ONLY", err)
		}
		c.scenario("limited-reader", Scenarios.Run)
	}
	several.run = func(c *C) {
		_, _ = c.grantBoth()
		c.scenario("one-key-for-two-buckets", Scenarios.Run)
	}
	explored := check("EE-20", "lifecycle", "Every fault at every call of the driver ends in the state without faults",
		sourceTimeouts.says(sayRetry),
		"D01", "D03", "D04", "D05")
	explored.limit, explored.run = exploreTime, func(c *C) { c.scenario("lifecycle", Scenarios.Explore) }
	return []*Check{
		check("EE-01", "lifecycle", "A claim and an access are made, used and deleted", sourceDelete.says(sayDeletes), "D04", "D25"),
		check("EE-02", "access-first", "An access that is applied before its claim becomes ready", sourceTimeouts.says(sayRetry), "D11"),
		check("EE-03", "lost-replies", "Everything becomes ready when replies of the driver are lost",
			sourceTimeouts.says(sayRetry), "D01", "D03"),
		check("EE-04", "repeated-calls", "Everything becomes ready when calls reach the driver twice",
			sourceCreate.says(sayIdempotent), "D01", "D03"),
		check("EE-05", "sidecar-killed", "Everything becomes ready when the sidecar is killed after each call", sourceTimeouts.says(sayRetry),
			"D01", "D03"),
		check("EE-06", "failed-calls", "Everything becomes ready when calls do not reach the driver at first", sourceTimeouts.says(sayRetry)),
		check("EE-07", "independent-keys", "Two accesses to one bucket have keys of their own",
			sourceGranting.says(sayOwnKeys), "D03", "D08", "D16"),
		check("EE-08", "many-at-once", "Claims and accesses that are created at once have buckets and keys of their own",
			sourcePending.says(sayOneEach),
			"D07", "D08", "D09"),
		check("EE-09", "granted-again", "An access that is created again has another account", sourceGranting.says(sayOwnKeys), "D03", "D16"),
		check("EE-10", "claim-deleted-first", "A bucket stays while an access uses it, and everything can be deleted then",
			sourceDelete.says(sayDeletes), "D24"),
		check("EE-13", "secret-deleted", "A Secret that was deleted is written again, and works", sourceGrant.says(sayIdempotent), "D03"),
		reader, several, explored,
	}
}
