package subprocess

import (
	"os"
	"slices"
	"strings"
)

// inherited are the variables that a process gets from the environment of this one, as names or, with a final
// '*', as prefixes. The secrets of a CI job are not among them, nor the address of the cluster of a Pod.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_*"}

// inheritedEnvironment returns the inherited variables.
func inheritedEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.ContainsFunc(inherited, func(known string) bool {
			prefix, isPrefix := strings.CutSuffix(known, "*")
			return name == known || isPrefix && strings.HasPrefix(name, prefix)
		})
	})
}
