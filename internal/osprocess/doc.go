// Package osprocess hides the differences between operating systems in process groups and signals.
// On Windows, a process has no group and understands no signal, so that it ends without notice, and
// its children go on.
package osprocess
