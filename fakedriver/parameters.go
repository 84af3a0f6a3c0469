package fakedriver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ParameterIgnoreUnknown is a parameter of classes. With the value "true", the driver ignores
// unknown parameters of the class.
const ParameterIgnoreUnknown = "ignoreUnknownParameters"

// checkIgnoreUnknown validates ParameterIgnoreUnknown, which is not part of the bucket or account.
func checkIgnoreUnknown(value string) error {
	_, err := oneOf(map[string]bool{"true": true, "false": false}, value)
	return err
}

// understood returns the parameters of a class without the ignored ones.
func (d *Driver) understood(ofClass map[string]string, known []string) map[string]string {
	if !d.options.IgnoreUnknownParameters && ofClass[ParameterIgnoreUnknown] != "true" {
		return ofClass
	}
	understood, ignored := map[string]string{}, []string{}
	for name, value := range ofClass {
		if slices.Contains(known, name) {
			understood[name] = value
		} else {
			ignored = append(ignored, name)
		}
	}
	if len(ignored) == 0 {
		return ofClass
	}
	slices.Sort(ignored)
	d.options.Logger.Info("unknown parameters are ignored", "parameters", ignored)
	return understood
}

// Parameter is a parameter of a class, for documentation.
type Parameter struct {
	// Name is the key in the class's parameters.
	Name string
	// Allowed describes the valid values.
	Allowed string
	// Effect is one sentence.
	Effect string
}

// parameter is a parameter with the function that sets its value. The error of set explains why the
// value is invalid.
type parameter[Spec any] struct {
	Parameter

	set func(spec *Spec, value string) error
}

// apply sets the parameters of a class in a specification. It rejects unknown parameters, to detect
// misspelt ones.
func apply[Spec any](known []parameter[Spec], parameters map[string]string, spec *Spec) error {
	if err := set(known, parameters, spec); err != nil {
		return invalid("%s", err)
	}
	return nil
}

// set is apply with an error that has no gRPC status.
func set[Spec any](known []parameter[Spec], parameters map[string]string, spec *Spec) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		i := slices.IndexFunc(known, func(p parameter[Spec]) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("parameter %s is not known: the driver knows %s", quote(name), strings.Join(names(known), ", "))
		}
		value := parameters[name]
		if err := known[i].set(spec, value); err != nil {
			return fmt.Errorf("parameter %s is %s, which %w: it must be %s", name, quote(value), err, known[i].Allowed)
		}
	}
	return nil
}

func names[Spec any](known []parameter[Spec]) []string {
	all := make([]string, len(known))
	for i, p := range known {
		all[i] = p.Name
	}
	slices.Sort(all)
	return all
}

func documented[Spec any](known []parameter[Spec]) []Parameter {
	all := make([]Parameter, len(known))
	for i, p := range known {
		all[i] = p.Parameter
	}
	return all
}

// valueError explains why a value is invalid, in words that follow "which".
type valueError string

func (e valueError) Error() string { return string(e) }

const errNotAllowed valueError = "is not allowed"

const maxNoteLength = 256

func checkNote(value string) error {
	if len(value) > maxNoteLength {
		return valueError(fmt.Sprintf("has %d bytes", len(value)))
	}
	return nil
}

func oneOf[T any](words map[string]T, value string) (T, error) {
	meant, ok := words[value]
	if !ok {
		return meant, errNotAllowed
	}
	return meant, nil
}
