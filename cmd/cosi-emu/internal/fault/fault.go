// Package fault is the command fault: it adds, lists and removes faults in a running emulator.
package fault

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// New returns the command fault, with its subcommands.
func New(streams cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fault",
		Short: "Inject faults into a running emulator",
		Long: `Inject faults into a running emulator: into requests of controller and sidecar to the
API server (api), calls to the driver (rpc), the S3 store (store), or starts of
components (process). 'cosi-emu logs' shows every operation that a fault affected.

Faults are not random: --nth 3 affects the third operation that matches. A fault is
active until it is removed, or has affected --times operations.`,
		Example: `  # The driver is unavailable for the next three calls.
  cosi-emu fault add away --seam rpc --fail Unavailable --times 3

  # The driver creates the bucket, and its response is lost.
  cosi-emu fault add lost --seam rpc --operation DriverCreateBucket \
    --lose-reply Unavailable --nth 1

  # My app's S3 store is slow, and now and then too busy.
  cosi-emu fault add slow --seam store --operation PutObject --delay 2s
  cosi-emu fault add busy --seam store --operation PutObject --every 3 --fail SlowDown

  # The sidecar crashes after its next write of a status.
  cosi-emu fault add dead --seam api --component sidecar --operation '*/status' \
    --nth 1 --crash after

  cosi-emu fault list
  cosi-emu fault clear`,
		Args: cli.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFaultAdd(streams), newFaultList(streams), newFaultRemove(streams), newFaultClear(streams))
	for _, sub := range cmd.Commands() {
		cli.StrictArgs(sub)
	}
	return cmd
}

// controls returns a client for a running emulator.
func controls(name string) (*adminapi.Client, error) {
	info, err := cli.Ready(name)
	if err != nil {
		return nil, err
	}
	return adminapi.NewClient(info.Control), nil
}

func newFaultAdd(streams cli.Streams) *cobra.Command {
	var name string
	flags := &faultFlags{}
	cmd := &cobra.Command{
		Use:   "add [NAME]",
		Short: "Add a fault",
		Long: `Add a fault. Its name, for 'cosi-emu fault remove', defaults to its operation or seam.
Exactly one effect is required; --delay can be combined with another. The operation must
exist; a pattern must match at least one operation. In patterns, * matches any
characters. --seam defaults to the seam of the operation.`,
		Example: `  cosi-emu fault add away --seam rpc --fail Unavailable --times 3
  cosi-emu fault add --operation DriverCreateBucket --fail Unavailable --times 1
  cosi-emu fault add conflict --seam api --component controller \
    --operation 'patch *' --every 2 --fail Conflict
  cosi-emu fault add empty --seam rpc --operation DriverCreateBucket \
    --set protocols.s3.bucket_id='""'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := flags.fault(strings.Join(args, ""))
			if err != nil {
				return cli.Usage(err)
			}
			c, err := controls(name)
			if err != nil {
				return err
			}
			if err := c.AddFault(cmd.Context(), f); err != nil {
				return faultError(err, name)
			}
			_, err = fmt.Fprintf(streams.Out, "Fault %q is active: %s\n", f.Name, f.Effect)
			return err
		},
	}
	cli.AddName(cmd.Flags(), &name)
	flags.add(cmd.Flags())
	completeFault(cmd, &flags.made)
	return cmd
}

// faultError marks an emulator's errors that are about the command line.
func faultError(err error, name string) error {
	if errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrDuplicate) {
		return cli.Usage(err)
	}
	if errors.Is(err, fault.ErrUnknown) {
		return cli.Usage(fmt.Errorf("%w; list faults with '%s'", err, instance.Command("fault list", name)))
	}
	return err
}

func newFaultList(streams cli.Streams) *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List active faults, with the number of operations they affected",
		Example: "  cosi-emu fault list\n  cosi-emu fault list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			c, err := controls(name)
			if err != nil {
				return err
			}
			all, err := c.Faults(cmd.Context())
			if err != nil {
				return err
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, all)
			}
			return printFaults(streams, all)
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func printFaults(streams cli.Streams, all []fault.Status) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(streams.Out, "No fault is active.")
		return err
	}
	return WriteTable(streams.Out, "", all)
}

// WriteTable writes a table of active faults, with an indent before each line.
func WriteTable(w io.Writer, indent string, all []fault.Status) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, indent+"NAME\tWHERE\tEFFECT\tMATCHED\tHIT")
	for _, f := range all {
		_, _ = fmt.Fprintf(table, "%s%s\t%s\t%s\t%d\t%d\n", indent, f.Name, f.Match, f.Effect, f.Matched, f.Applied)
	}
	return table.Flush()
}

func newFaultRemove(streams cli.Streams) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "remove NAME...",
		Short:   "Remove faults",
		Long:    "Remove faults. Delayed operations continue at once.",
		Example: "  cosi-emu fault remove away lost",
		Args:    cobra.MinimumNArgs(1),

		ValidArgsFunction: cli.CompleteFaults,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := controls(name)
			if err != nil {
				return err
			}
			for _, fault := range args {
				if err := c.RemoveFault(cmd.Context(), fault); err != nil {
					return faultError(err, name)
				}
				if _, err := fmt.Fprintf(streams.Out, "Fault %q is removed.\n", fault); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cli.AddName(cmd.Flags(), &name)
	return cmd
}

func newFaultClear(streams cli.Streams) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "clear",
		Short:   "Remove all faults",
		Example: "  cosi-emu fault clear",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := controls(name)
			if err != nil {
				return err
			}
			if err := c.ClearFaults(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(streams.Out, "All faults are removed.")
			return err
		},
	}
	cli.AddName(cmd.Flags(), &name)
	return cmd
}
