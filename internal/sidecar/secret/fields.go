package secret

import (
	"fmt"
	"maps"
	"slices"
)

// maxValueLength, in bytes, keeps a driver from creating objects that the API server
// rejects as too large.
const maxValueLength = 16 << 10

// field is a value with its rules.
type field struct {
	value string
	// needed is set if an empty value is an error.
	needed bool
	// keep is set if the key is written even if the value is empty.
	keep bool
}

func required(value string) field { return field{value: value, needed: true} }

// fields are by key.
type fields map[string]field

// MissingError means that the driver did not return a value that applications need.
type MissingError struct {
	// Key under which the value would have been written.
	Key string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the driver returned no value for %s, which applications need", e.Key)
}

// TooLongError means that a value is too long.
type TooLongError struct {
	// Key under which the value would have been written.
	Key string
	// Length of the value, in bytes.
	Length int
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the value for %s is %d bytes long; the limit is %d", e.Key, e.Length, maxValueLength)
}

// check returns an error for the first invalid field, in the order of the keys.
func (f fields) check(complete bool) error {
	for _, key := range slices.Sorted(maps.Keys(f)) {
		switch {
		case complete && f[key].needed && f[key].value == "":
			return &MissingError{Key: key}
		case len(f[key].value) > maxValueLength:
			return &TooLongError{Key: key, Length: len(f[key].value)}
		}
	}
	return nil
}

func (f fields) present() map[string]string {
	values := make(map[string]string, len(f))
	for key, field := range f {
		if field.value != "" || field.keep {
			values[key] = field.value
		}
	}
	return values
}
