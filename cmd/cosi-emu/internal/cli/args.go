package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// KnownCommand rejects the name of a command that does not exist, and suggests a
// similar one.
func KnownCommand(parent *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if names := parent.SuggestionsFor(args[0]); len(names) > 0 {
		hint = fmt.Sprintf("; do you mean %s?", strings.Join(names, " or "))
	}
	return Usage(fmt.Errorf("there is no command %q%s\nSee '%s --help'", args[0], hint, parent.CommandPath()))
}

// StrictArgs makes wrong arguments usage errors. A command without a check of its own
// takes no arguments.
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
