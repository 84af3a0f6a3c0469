package emulator

import "strings"

// IsSidecar reports whether a component name is that of a sidecar.
func IsSidecar(component string) bool {
	return component == ComponentSidecar || strings.HasPrefix(component, ComponentSidecar+".")
}
