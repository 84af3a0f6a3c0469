package scenarios

import (
	"errors"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// problems joins the problems of files; nil without any.
func problems(found []error) error {
	if err := errors.Join(found...); err != nil {
		return &problemsError{found}
	}
	return nil
}

// problemsError shows problems as compilers do, each in a line of its own.
type problemsError struct{ found []error }

func (e *problemsError) Error() string {
	lines := []string{"the scenarios cannot be run:"}
	for _, err := range e.found {
		all := document.Problems(err)
		if len(all) == 0 && err != nil {
			lines = append(lines, err.Error())
		}
		for _, problem := range all {
			lines = append(lines, problem.Error())
		}
	}
	return strings.Join(lines, "\n")
}

func (e *problemsError) Unwrap() []error { return e.found }
