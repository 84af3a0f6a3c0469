package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/cosi-emu/cosi-emu/emulator/instance"
)

func newStatus(streams Streams) *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show an emulator and its components",
		Long: `Show where everything of an emulator is, and how its components are. The exit
code is 1 if it is not running.`,
		Example: `  cosi-emu status
  cosi-emu status -o json | jq '.components[] | {name, state}'`,
		RunE: func(*cobra.Command, []string) error {
			if err := checkOutput(output, formatText, formatJSON); err != nil {
				return err
			}
			info, err := running(name)
			if err != nil {
				return err
			}
			if output == formatJSON {
				return printJSON(streams, info)
			}
			return printStatus(streams, info)
		},
	}
	addName(cmd.Flags(), &name)
	addOutput(cmd.Flags(), &output, formatText, formatJSON)
	return cmd
}

// running returns the description of an emulator, or an error that says how to
// start it, and which others there are.
func running(name string) (instance.Info, error) {
	info, err := instance.Get(name)
	if !errors.Is(err, instance.ErrNotRunning) {
		return info, err
	}
	others, listErr := instance.List()
	if listErr != nil || len(others) == 0 {
		return info, fmt.Errorf("%w; start it with 'cosi-emu up'", err)
	}
	names := make([]string, len(others))
	for i, other := range others {
		names[i] = other.Name
	}
	return info, fmt.Errorf("%w; start it with 'cosi-emu up', or choose with --name what is running: %s", err, strings.Join(names, ", "))
}

// ready is running, for commands that need the emulator to be up.
func ready(name string) (instance.Info, error) {
	info, err := running(name)
	if err == nil && !info.Ready {
		err = fmt.Errorf("emulator %q is still starting; try again when 'cosi-emu status' says that it is up", name)
	}
	return info, err
}

func printStatus(streams Streams, info instance.Info) error {
	var text strings.Builder
	state := "is starting"
	if info.Ready {
		state = "is up for " + duration.HumanDuration(time.Since(info.Started))
	}
	fmt.Fprintf(&text, "Emulator %q %s.\n\n", info.Name, state)
	for _, warning := range info.Warnings {
		fmt.Fprintf(&text, "  Warning: %s\n\n", warning)
	}
	writePlaces(&text, info)
	text.WriteString("\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  COMPONENT\tSTATE\tINCARNATION\tPID\tLOG")
	for _, c := range info.Components {
		log := c.Log
		if log == "" {
			log = "cosi-emu logs " + c.Name
		}
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", c.Name, c.State, number(c.Incarnation), number(c.PID), log)
	}
	_ = table.Flush() // a strings.Builder takes everything
	_, err := fmt.Fprint(streams.Out, text.String())
	return err
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
