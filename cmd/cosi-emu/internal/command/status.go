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
	"github.com/cosi-emu/cosi-emu/internal/emulator/instance"
)

func newStatus(streams cli.Streams) *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show an emulator and its components",
		Long: `Show the endpoints of an emulator, and the state of its components. The exit code is
1 if the emulator is not running.`,
		Example: `  cosi-emu status
  cosi-emu status -o json | jq '.components[] | {name, state}'`,
		RunE: func(*cobra.Command, []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info, err := cli.Running(name)
			if err != nil {
				return err
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, info)
			}
			return printStatus(streams, info)
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func printStatus(streams cli.Streams, info instance.Info) error {
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
