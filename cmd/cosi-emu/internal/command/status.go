package command

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/fault"
	faults "github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/emulator/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/emulator/instance"
)

// status is what is known about a running emulator.
type status struct {
	instance.Info

	// Faults are the active faults.
	Faults []faults.Status `json:"faults,omitempty"`
}

func newStatus(streams cli.Streams) *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show an emulator and its components",
		Long: `Show the endpoints of an emulator, the state of its components, and the active faults.
The exit code is 1 if the emulator is not running.`,
		Example: `  cosi-emu status
  cosi-emu status -o json | jq '.components[] | {name, state}'
  cosi-emu status -o json | jq '.faults[].name'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info, err := cli.Running(name)
			if err != nil {
				return err
			}
			current := status{Info: info}
			if info.Ready {
				if current.Faults, err = adminapi.NewClient(info.Control).Faults(cmd.Context()); err != nil {
					return err
				}
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, current)
			}
			return printStatus(streams, current)
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func printStatus(streams cli.Streams, info status) error {
	var text strings.Builder
	state := "is starting"
	if info.Ready {
		state = "is up for " + duration.HumanDuration(time.Since(info.Started))
	}
	fmt.Fprintf(&text, "Emulator %q %s.\n\n", info.Name, state)
	for _, warning := range info.Warnings {
		fmt.Fprintf(&text, "  Warning: %s\n\n", warning)
	}
	writePlaces(&text, info.Info)
	text.WriteString("\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  COMPONENT\tSTATE\tINCARNATION\tPID\tLOG")
	for _, c := range info.Components {
		log := c.Log
		if log == "" {
			log = instance.Command("logs "+c.Name, info.Name)
		}
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", c.Name, c.State, number(c.Incarnation), number(c.PID), log)
	}
	_ = table.Flush() // a strings.Builder takes everything
	if len(info.Faults) > 0 {
		text.WriteString("\nActive faults:\n\n")
		_ = fault.WriteTable(&text, "  ", info.Faults) // a strings.Builder takes everything
	}
	_, err := fmt.Fprint(streams.Out, text.String())
	return err
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
