// Package cause explains the findings of exploration. It compares a run with the clean run to find
// the action of a component, or the answer of the driver, that caused a finding. It groups the findings
// with the same cause.
package cause
