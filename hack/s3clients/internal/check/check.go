// Package check compares what clients got with what they should have got. It
// exists so that all of them are judged alike, and say alike what is wrong.
package check

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Content compares contents.
func Content(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return fmt.Errorf("read %d bytes that are not the %d that were written", len(got), len(want))
	}
	return nil
}

// Equal compares values, and calls them what.
func Equal[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s is %#v, not %#v", what, got, want)
	}
	return nil
}

// Keys compares lists of keys, in order.
func Keys(got, want []string) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("listed %q, not %q", got, want)
	}
	return nil
}

// SameKeys compares lists of keys in any order.
func SameKeys(got, want []string) error {
	return Keys(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

// Rejected returns nil if err is a rejection that says code.
func Rejected(err error, code string) error {
	if err == nil {
		return errors.New("the request succeeded, want the error " + code)
	}
	if !strings.Contains(err.Error(), code) {
		return fmt.Errorf("should be %s: %w", code, err)
	}
	return nil
}

// Sequence does steps until one fails.
func Sequence(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
