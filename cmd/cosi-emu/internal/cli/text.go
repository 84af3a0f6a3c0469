package cli

import "github.com/spf13/pflag"

// ValuesOf returns the values of a flag, for a command line.
func ValuesOf(flag *pflag.Flag) []string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{flag.Value.String()}
}
