// Package vocabulary has the names that scenario files use for parts of an emulator. It imports
// nothing of ours, so that lint checks a scenario without linking the emulator.
package vocabulary
