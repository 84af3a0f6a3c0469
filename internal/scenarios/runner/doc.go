// Package runner runs files of scenarios: it finds and reads them, selects some,
// runs them beside each other on one emulator, and, if it is to, again when files
// change. It exists between the engine, which knows one scenario at a time, and
// the command line, which knows flags.
package runner
