package cli

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/conformance/description"
)

// AddParams adds the flag of the file that describes a driver, which all commands with a driver of the
// user's own read.
func AddParams(flags *pflag.FlagSet, file *string, usage string) {
	flags.StringVar(file, "params", "", usage)
}

// ReadParams reads the file of --params, if there is one.
func ReadParams(file string) (description.Parameters, error) {
	if file == "" {
		return description.Parameters{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return description.Parameters{}, fmt.Errorf("--params: %w", err)
	}
	parameters, err := description.ParseParameters(text)
	if err != nil {
		return description.Parameters{}, fmt.Errorf("--params %s: %w", file, err)
	}
	return parameters, nil
}
