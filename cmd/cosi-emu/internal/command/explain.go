package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/runbook"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

func newExplain(streams cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "explain REASON...",
		Short: "Explain a reason that kubectl describe shows",
		Long: `Print what a reason of a condition or an Event of COSI means, what to look at, and what to do.
'kubectl describe' shows the reasons of a BucketClaim, a Bucket or a BucketAccess. The
name of a condition is explained, too.

docs/runbook.md has all of them.`,
		Example: `  kubectl describe bucketclaim photos
  cosi-emu explain DriverRefused`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a reason is required, such as DriverRefused; 'kubectl describe' shows the reasons of an object")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return runbook.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return explain(streams, args) },
	}
}

func explain(streams cli.Streams, reasons []string) error {
	var all []string
	for _, reason := range reasons {
		reason = strings.TrimSuffix(reason, ":") // the message of an Event begins with a reason
		found := runbook.Find(reason)
		if len(found) == 0 {
			return unknownReason(reason)
		}
		for _, entry := range found {
			all = append(all, entry.String())
		}
	}
	_, err := fmt.Fprint(streams.Out, strings.Join(all, "\n"))
	return err
}

func unknownReason(reason string) error {
	if near, ok := suggest.Near(reason, runbook.Names()); ok {
		return cli.Usage(fmt.Errorf("unknown reason %q: did you mean %s?", reason, near))
	}
	return cli.Usage(fmt.Errorf("unknown reason %q; COSI has %s", reason, strings.Join(runbook.Names(), ", ")))
}
