package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/runbook"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

func newExplain(streams cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "explain REASON... | -",
		Short: "Explain a reason that kubectl describe shows",
		Long: `Print what a reason of a condition or an Event of COSI means, what to look at, and what to do.
'kubectl describe' shows the reasons of a BucketClaim, a Bucket or a BucketAccess. The
name of a condition is explained, too.

With '-', the command reads the output of 'kubectl describe' from stdin, and explains
each reason in it for which there is something to do.

docs/runbook.md has all of them.`,
		Example: `  cosi-emu explain DriverRefused
  kubectl describe bucketclaim photos | cosi-emu explain -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a reason is required, such as DriverRefused, or '-' for the output of 'kubectl describe' on stdin")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return runbook.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				return explainDescription(streams)
			}
			return explain(streams, args)
		},
	}
}

func explainDescription(streams cli.Streams) error {
	text, err := io.ReadAll(streams.In)
	if err != nil {
		return fmt.Errorf("read stdin: %w", err)
	}
	found := runbook.In(string(text))
	if len(found) == 0 {
		_, err := fmt.Fprintln(streams.Err, "stdin has no reason of COSI for which there is something to do")
		return err
	}
	return printEntries(streams, found)
}

func explain(streams cli.Streams, reasons []string) error {
	var all []runbook.Entry
	for _, reason := range reasons {
		reason = strings.TrimSuffix(reason, ":") // the message of an Event begins with a reason
		found := runbook.Find(reason)
		if len(found) == 0 {
			return unknownReason(reason)
		}
		all = append(all, found...)
	}
	return printEntries(streams, all)
}

func printEntries(streams cli.Streams, entries []runbook.Entry) error {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.String()
	}
	_, err := fmt.Fprint(streams.Out, strings.Join(texts, "\n"))
	return err
}

func unknownReason(reason string) error {
	if near, ok := suggest.Near(reason, runbook.Names()); ok {
		return cli.Usage(fmt.Errorf("unknown reason %q: did you mean %s?", reason, near))
	}
	return cli.Usage(fmt.Errorf("unknown reason %q; COSI has %s", reason, strings.Join(runbook.Names(), ", ")))
}
