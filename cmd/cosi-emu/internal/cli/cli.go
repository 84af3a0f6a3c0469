// Package cli contains the code that all commands share: streams, exit codes, usage errors, output
// formats, and the lookup of a running emulator.
package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// Streams are the input and output of the program: results go to Out, progress and errors to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Output formats of a result.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// AddName adds the flag that selects the emulator.
func AddName(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "name", instance.DefaultName, "name of the emulator; several can run side by side")
	annotate(flags, "name", emulatorAnnotation, nil)
}

// AddOutput adds the flag for the output format.
func AddOutput(flags *pflag.FlagSet, output *string, formats ...string) {
	flags.StringVarP(output, "output", "o", formats[0], "output format: "+strings.Join(formats, " or "))
	Values(flags, "output", formats...)
}

// CheckOutput rejects an unknown output format.
func CheckOutput(output string, formats ...string) error {
	if slices.Contains(formats, output) {
		return nil
	}
	return Usage(fmt.Errorf("output format %q is not known; use %s", output, strings.Join(formats, " or ")))
}

// PrintJSON prints a result as indented JSON.
func PrintJSON(streams Streams, v any) error {
	encoder := json.NewEncoder(streams.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
