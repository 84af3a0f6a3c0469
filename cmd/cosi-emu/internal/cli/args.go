package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// KnownCommand rejects an unknown command, and suggests a similar one.
func KnownCommand(parent *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, command := range parent.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
		}
	}
	hint := ""
	if meant := meant(args[0], names); len(meant) > 0 {
		hint = fmt.Sprintf("; do you mean %s?", strings.Join(meant, " or "))
	}
	return Usage(fmt.Errorf("unknown command %q%s\nSee '%s --help'", args[0], hint, parent.CommandPath()))
}

// shortestHint is the number of letters that a misspelt flag needs for a hint.
const shortestHint = 2

// FlagHint returns the flag that was probably meant, for the error of an unknown flag. It is empty
// for other errors, and if no flag is similar.
func FlagHint(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	given := unknown.GetSpecifiedName()
	if len(given) < shortestHint { // a single letter resembles every name
		return ""
	}
	if meant := meant(given, names); len(meant) > 0 {
		return "; did you mean --" + strings.Join(meant, " or --") + "?"
	}
	return ""
}

// meant returns the names that start with a misspelt one, or else the most similar name, if any.
func meant(given string, names []string) []string {
	longer := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, given) })
	if name, found := suggest.Near(given, names); found && len(longer) == 0 {
		return []string{name}
	}
	return longer
}

// StrictArgs makes wrong arguments usage errors. A command without a check of its own takes no
// arguments.
func StrictArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = noArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return Usage(fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath()))
		}
		return nil
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("'%s' takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
