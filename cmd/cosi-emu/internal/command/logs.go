package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

type logs struct {
	follow bool
	output string
	seams  []string
}

func newLogs(streams cli.Streams) *cobra.Command {
	var (
		name string
		l    logs
	)
	seams := []journal.Seam{journal.SeamAPI, journal.SeamRPC, journal.SeamStore, journal.SeamProcess, journal.SeamLog}
	cmd := &cobra.Command{
		Use:   "logs [COMPONENT]",
		Short: "Show the journal of an emulator, or a component's log",
		Long: `Show the journal of an emulator in the order of time: every request of controller
and sidecar to the API server, every call to the driver, every request to the S3
store, starts and crashes of components, and their log lines.

With a component (controller, sidecar, driver, store), show its part of the journal.
For etcd, kube-apiserver and kube-controller-manager, show the output of the process, or the
log of the embedded control plane.`,
		Example: `  cosi-emu logs -f
  cosi-emu logs sidecar --seam rpc
  cosi-emu logs kube-apiserver
  cosi-emu logs -o json | jq 'select(.seam == "api" and .outcome != "OK")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeOne(cli.CompleteComponents),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckOutput(l.output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			for _, s := range l.seams {
				if !slices.Contains(seams, journal.Seam(s)) {
					return cli.Usage(fmt.Errorf("seam %q is not known; use some of %v", s, seams))
				}
			}
			info, err := cli.Ready(name)
			if err != nil {
				return err
			}
			return l.show(cmd.Context(), streams, info, args)
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cmd.Flags().BoolVarP(&l.follow, "follow", "f", false, "follow the log until Ctrl-C, or until the emulator stops")
	cmd.Flags().StringSliceVar(&l.seams, "seam", nil, "show only these seams: api, rpc, store, process, log")
	cli.Values(cmd.Flags(), "seam", seams...)
	cli.AddOutput(cmd.Flags(), &l.output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func completeOne(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

func (l *logs) show(ctx context.Context, streams cli.Streams, info instance.Info, args []string) error {
	if len(args) == 0 {
		return l.showJournal(ctx, streams, info, "")
	}
	component, err := find(info, args[0])
	if err != nil {
		return err
	}
	if component.Log == "" {
		return l.showJournal(ctx, streams, info, component.Name)
	}
	if l.output != cli.FormatText || len(l.seams) > 0 {
		return cli.Usage(fmt.Errorf("the log of %s is plain text: --output and --seam are for the journal", component.Name))
	}
	for line, err := range logLines(ctx, component.Log, l.follow) {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(streams.Out, line); err != nil {
			return err
		}
	}
	return nil
}

func find(info instance.Info, name string) (emulator.ComponentInfo, error) {
	names := make([]string, len(info.Components))
	for i, c := range info.Components {
		if c.Name == name {
			return c, nil
		}
		names[i] = c.Name
	}
	err := fmt.Errorf("emulator %q has no component %q; it has %s", info.Name, name, strings.Join(names, ", "))
	return emulator.ComponentInfo{}, cli.Usage(err)
}

func (l *logs) showJournal(ctx context.Context, streams cli.Streams, info instance.Info, component string) error {
	for line, err := range logLines(ctx, info.Journal, l.follow) {
		if err != nil {
			return err
		}
		var event journal.Event
		if json.Unmarshal([]byte(line), &event) != nil {
			continue // the last line, still being written
		}
		if component != "" && event.Component != component || len(l.seams) > 0 && !slices.Contains(l.seams, string(event.Seam)) {
			continue
		}
		if l.output == cli.FormatText {
			line = event.String()
		}
		if _, err := fmt.Fprintln(streams.Out, line); err != nil {
			return err
		}
	}
	return nil
}
