package run

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// ErrUnclean means that a scenario does not complete even without faults.
var ErrUnclean = errors.New("the scenario cannot be run without faults")

// BrokenError returns the error of a run without faults that does not judge COSI: it was not
// completed, or was skipped.
func BrokenError(o *Record) error {
	switch {
	case o.Err != nil:
		return o.Err
	case o.Result.Outcome == outcome.Broken && !o.ExitedEarly:
		return fmt.Errorf("%w: %s", ErrUnclean, shortfalls(o.Result.Failures))
	case o.Result.Outcome == outcome.Skipped:
		return fmt.Errorf("%w: it is skipped: %s", ErrUnclean, o.Result.Reason)
	}
	return nil
}

// NotCleanError returns the error of a run without faults that failed or has findings.
func NotCleanError(o *Record) error {
	if err := BrokenError(o); err != nil {
		return err
	}
	if found := Judge(o, o); len(found) > 0 {
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
