// Package run has the record of a run of a scenario, and judges it. It gives the operations, the names and
// the state of a run the same form in every run, so that two runs can be compared.
package run
