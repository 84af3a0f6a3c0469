// Package loader finds scenario files, reads them, selects scenarios by label and name, and reads
// them again when a file changes. Lint uses it, so it imports no part of the emulator.
package loader
