package secret

import (
	"fmt"
	"maps"
	"slices"
)

// maxValueLength, in bytes, keeps a driver from making objects that the API
// server refuses for their size.
const maxValueLength = 16 << 10

// field is a value with what is expected of it.
type field struct {
	value string
	// needed by an application: an error if it is empty.
	needed bool
	// keep the key even if the value is empty.
	keep bool
}

func required(value string) field { return field{value: value, needed: true} }

// fields are by key.
type fields map[string]field

// A MissingError says that the driver has left out what an application needs.
type MissingError struct {
	// Key under which the value would have been written.
	Key string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the driver returned no value for %s, which applications need", e.Key)
}

// A TooLongError says that a value has an unreasonable length.
type TooLongError struct {
	// Key under which the value would have been written.
	Key string
	// Length of the value, in bytes.
	Length int
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the value for %s is %d bytes long; the limit is %d", e.Key, e.Length, maxValueLength)
}

// check returns an error for the first field, by the order of the keys, that is
// not as it should be.
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
