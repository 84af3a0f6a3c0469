// Package snapshot is the command snapshot: it saves the state of a running emulator to a file, and
// describes such files.
package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/counted"
)

// New returns the command snapshot, with its subcommands.
func New(streams cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Save the state of a running emulator to a file",
		Long: `Save the state of a running emulator to a file, from which 'cosi-emu up --from' starts
another one: the API objects with their UIDs and resource versions, the buckets and
objects of the store, and the accounts with their keys.

The file contains secrets. Only its owner can read it, and 'cosi-emu up' rejects it if
others can.`,
		Example: `  cosi-emu snapshot save my.snapshot
  cosi-emu snapshot inspect my.snapshot
  cosi-emu up --from my.snapshot`,
		Args: cli.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSave(streams), newInspect(streams))
	for _, sub := range cmd.Commands() {
		cli.StrictArgs(sub)
	}
	return cmd
}

func newSave(streams cli.Streams) *cobra.Command {
	var (
		name, output string
		replace      bool
	)
	cmd := &cobra.Command{
		Use:   "save FILE",
		Short: "Save the state of a running emulator",
		Long: `Save the state of a running emulator, as it is at one moment, to a file. The emulator goes
on; changes of its store wait for the moment of the copy.

The emulator must run its own control plane, and the fake driver: the contents of a
cluster, or of the backend of your driver, are not in a snapshot.`,
		Example: `  cosi-emu snapshot save my.snapshot

  # Replace an earlier one.
  cosi-emu snapshot save my.snapshot --force`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			running, err := cli.Ready(name)
			if err != nil {
				return err
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			info, err := adminapi.NewClient(running.Control).SaveSnapshot(cmd.Context(), file, replace)
			if errors.Is(err, emulator.ErrSnapshotExists) || errors.Is(err, emulator.ErrSnapshotUnsupported) {
				return cli.Usage(err)
			}
			if err != nil {
				return err
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, info)
			}
			if err := describe(streams, info); err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "\nSaved to %s. It contains secrets: keys and Secrets. Only you can read it (mode 0600).\n"+
				"Start from it with 'cosi-emu up --from %s'.\n", args[0], cli.Quote(args[0]))
			return err
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cmd.Flags().BoolVar(&replace, "force", false, "replace the file if it exists")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func newInspect(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Verify and describe a snapshot",
		Long:  "Verify the checksums of a snapshot, and describe its contents. Secrets are not printed.",
		Example: `  cosi-emu snapshot inspect my.snapshot
  cosi-emu snapshot inspect my.snapshot -o json | jq .objects`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info, err := emulator.InspectSnapshot(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, info)
			}
			return describe(streams, info)
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func describe(streams cli.Streams, info emulator.SnapshotInfo) error {
	protocols := make([]string, 0, len(info.Protocols))
	for _, protocol := range info.Protocols {
		protocols = append(protocols, protocol.String())
	}
	objects := make([]string, 0, len(info.Objects))
	for _, kind := range slices.Sorted(maps.Keys(info.Objects)) {
		objects = append(objects, fmt.Sprintf("%d %s", info.Objects[kind], kind))
	}
	table := tabwriter.NewWriter(streams.Out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"created", info.Created.Format(time.RFC3339)},
		{"control plane", fmt.Sprintf("%s, Kubernetes %s", info.ControlPlane, info.Kubernetes)},
		{"COSI API", string(info.API)},
		{"drivers", strings.Join(info.DriverNames, ", ")},
		{"protocols", strings.Join(protocols, ", ")},
		{"API objects", strings.Join(objects, ", ")},
		{"buckets", strings.Join(info.Buckets, ", ")},
		{"stored objects", fmt.Sprintf("%d, %s", info.StoredObjects, counted.Of(int(info.StoredBytes), "byte"))},
		{"accounts", fmt.Sprint(info.Accounts)},
	} {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", row[0], cmp.Or(row[1], "none"))
	}
	return table.Flush()
}
