// Package scenario has the commands that read scenarios: they write, check, run, explore and replay
// them.
package scenario
