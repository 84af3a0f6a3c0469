// Package cause finds the objects for which a BucketClaim, a Bucket or a BucketAccess is not ready.
package cause

import (
	"slices"
	"strings"
)

// Kind is whether waiting helps.
type Kind int

const (
	// Waiting means that a component acts on the object, or will.
	Waiting Kind = iota
	// Missing means that the object names another one that does not exist.
	Missing
	// Final means that COSI does not retry until an object is corrected.
	Final
)

// Cause is a reason for which an object is not ready.
type Cause struct {
	// Object is the object that must change, such as BucketClaim "photos".
	Object  string
	Message string
	Kind    Kind
}

// String renders a cause in a line.
func (c Cause) String() string { return c.Object + ": " + c.Message }

// List is the causes of one object that is not ready.
type List []Cause

// Kind returns the worst kind: if one cause is final, waiting for the others does not help.
func (l List) Kind() Kind {
	worst := Waiting
	for _, c := range l {
		worst = max(worst, c.Kind)
	}
	return worst
}

// String joins the causes.
func (l List) String() string {
	lines := make([]string, len(l))
	for i, c := range l {
		lines[i] = c.String()
	}
	return strings.Join(lines, "; ")
}

// decisive leaves out the objects that only wait for the object that is the cause.
func (l List) decisive() List {
	worst := l.Kind()
	return slices.DeleteFunc(l, func(c Cause) bool { return c.Kind < worst })
}
