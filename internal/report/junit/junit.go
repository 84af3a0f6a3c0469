// Package junit writes reports as JUnit XML, in the form of Maven Surefire, which Jenkins and GitLab
// read.
package junit

import (
	"io"
	"time"
)

// Report is a report of test suites. Write counts their cases.
type Report struct {
	Name   string
	Took   time.Duration
	Suites []Suite
}

// Suite is a suite of cases.
type Suite struct {
	Name string
	// File and Started are optional.
	File    string
	Started time.Time
	Cases   []Case
}

// Case is a case that has passed, or has one of Failure, Error and Skipped.
type Case struct {
	Name string
	// Class groups cases in Jenkins, by its parts between dots.
	Class string
	// File, its Line from 1, and Labels are optional.
	File   string
	Line   int
	Labels map[string]string
	Took   time.Duration
	// Failure is a failed expectation, Error a problem with the environment.
	Failure, Error, Skipped *Result
}

// Result explains the outcome of a case: in one line, and in full. Type is optional.
type Result struct {
	Message, Type, Text string
}

// Write writes the report.
func (r Report) Write(w io.Writer) error {
	return encode(w, r.suites())
}
