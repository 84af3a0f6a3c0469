package explore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// ErrUnclean means that a scenario does not complete even without faults.
var ErrUnclean = errors.New("the scenario cannot be run without faults")

// brokenError returns the error of a run without faults that does not judge COSI: it was not
// completed, or was skipped.
func brokenError(o *runResult) error {
	switch {
	case o.err != nil:
		return o.err
	case o.result.Outcome == outcome.Broken && !o.exitedEarly:
		return fmt.Errorf("%w: %s", ErrUnclean, shortfalls(o.result.Failures))
	case o.result.Outcome == outcome.Skipped:
		return fmt.Errorf("%w: it is skipped: %s", ErrUnclean, o.result.Reason)
	}
	return nil
}

// notCleanError returns the error of a run without faults that failed or has findings.
func notCleanError(o *runResult) error {
	if err := brokenError(o); err != nil {
		return err
	}
	if found := judge(o, o); len(found) > 0 {
		return fmt.Errorf("%w: %v", ErrUnclean, found)
	}
	return nil
}

func shortfalls(failures []outcome.Failure) string {
	var all []string
	for i := range failures {
		all = append(all, failures[i].Error())
		for _, difference := range failures[i].Differences {
			all = append(all, difference.String())
		}
	}
	return strings.Join(all, "; ")
}
