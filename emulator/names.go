package emulator

import "github.com/cosi-emu/cosi-emu/internal/vocabulary"

// IsSidecar reports whether a component is a sidecar.
func IsSidecar(component string) bool { return vocabulary.IsSidecar(component) }
