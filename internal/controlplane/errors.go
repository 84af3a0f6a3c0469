package controlplane

import (
	"errors"
	"fmt"
)

// Errors of Start about its options.
var (
	// ErrDirInUse means that another control plane runs in the directory.
	ErrDirInUse = errors.New("another control plane is running in this directory")
	// ErrDirNotEmpty means that the directory has files and KeepData is not set: Stop would delete
	// foreign files.
	ErrDirNotEmpty = errors.New("the directory is not empty")
)

// Failure describes the failure of a component.
type Failure struct {
	Component string
	Err       error
	LogTail   []string
	// LogFile is the whole log. It is deleted when the control plane stops, unless the data is
	// kept.
	LogFile string
}

func (f *Failure) Unwrap() error { return f.Err }

// StartError means that a component did not start.
type StartError struct{ Failure }

// Error implements error. The message does not contain the log.
func (e *StartError) Error() string {
	return fmt.Sprintf("start %s: %v", e.Component, e.Err)
}

// ComponentError means that a component exited by itself.
type ComponentError struct{ Failure }

func (e *ComponentError) Error() string {
	return fmt.Sprintf("%s ended unexpectedly: %v", e.Component, e.Err)
}
