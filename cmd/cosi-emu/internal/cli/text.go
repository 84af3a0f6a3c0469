package cli

import (
	"fmt"

	"github.com/spf13/pflag"
)

// Counted returns a number of things, such as "1 file" or "2 files".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ValuesOf returns the values of a flag, for a command line.
func ValuesOf(flag *pflag.Flag) []string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{flag.Value.String()}
}
