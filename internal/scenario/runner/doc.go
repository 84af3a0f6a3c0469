// Package runner runs several scenarios in parallel on one emulator, and reports each.
package runner
