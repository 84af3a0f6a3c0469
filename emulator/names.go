package emulator

import "strings"

// IsSidecar reports whether a component of that name is the sidecar of some driver.
func IsSidecar(component string) bool {
	return component == ComponentSidecar || strings.HasPrefix(component, ComponentSidecar+".")
}
