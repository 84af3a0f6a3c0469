package document

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Position is a place in a file. Line and Column count from 1; zero is unknown.
type Position struct {
	File         string
	Line, Column int
}

// String renders the position as compilers do.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is a mistake in a file.
type Problem struct { //nolint:errname // it is what people call it
	Position Position
	// Message describes the problem, and how to correct it.
	Message string
}

// Error implements the error interface.
func (p *Problem) Error() string { return p.Position.String() + ": " + p.Message }

// Problems returns the problems in err's tree, in the order of the files and the
// places in them.
func Problems(err error) []*Problem {
	var all []*Problem
	collect(err, &all)
	slices.SortStableFunc(all, func(a, b *Problem) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column),
		)
	})
	return all
}

func collect(err error, into *[]*Problem) {
	if problem, ok := errors.AsType[*Problem](err); ok && !isJoined(err) {
		*into = append(*into, problem)
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			collect(one, into)
		}
	}
}

func isJoined(err error) bool {
	_, ok := err.(interface{ Unwrap() []error })
	return ok
}
