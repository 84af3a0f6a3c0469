// Package outcome has the result of a scenario: its outcome, its steps and its failures.
// Package engine produces results. Reports and progress read them without linking an emulator.
package outcome
