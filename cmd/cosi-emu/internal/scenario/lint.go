package scenario

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

type findings struct {
	Scenarios int       `json:"scenarios"`
	Problems  []finding `json:"problems"`
}

// finding is a problem in a file. Line and column count from 1.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// NewLint returns the command lint.
func NewLint(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "lint FILE|DIRECTORY...",
		Short: "Check scenarios without running them",
		Long: `Check the scenarios of the files, and of all *.yaml and *.yml files below the
directories, without starting anything. Each problem is one line,
FILE:LINE:COLUMN: MESSAGE. The message suggests a correction.

A list of steps (kind: Steps) in a directory is checked where scenarios use it.

The exit code is 0 without problems, and 2 otherwise.`,
		Example: `  cosi-emu lint scenarios/
  cosi-emu lint mine.yaml -o json`,
		Args: somePaths,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			return lint(streams, args, output)
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func lint(streams cli.Streams, paths []string, output string) error {
	set, err := loader.Load(paths)
	if err != nil && len(document.Problems(err)) == 0 {
		return cli.Usage(err)
	}
	all := []error{err}
	for _, missing := range set.MissingGolden {
		all = append(all, missing)
	}
	problems := document.Problems(errors.Join(all...))
	err = nil
	switch {
	case output == cli.FormatJSON:
		err = cli.PrintJSON(streams, findingsOf(set, problems))
	case len(problems) > 0:
		printProblems(streams.Out, problems)
	default:
		_, err = fmt.Fprintf(streams.Out, "%s in %s: no problems.\n",
			counted.Of(len(set.Scenarios), "scenario"), counted.Of(len(set.Files), "file"))
	}
	if len(problems) > 0 {
		return cli.ExitError(cli.ExitUsage)
	}
	return err
}

func findingsOf(set *loader.Set, problems []*document.Problem) findings {
	all := findings{Scenarios: len(set.Scenarios), Problems: []finding{}}
	for _, p := range problems {
		all.Problems = append(all.Problems, finding{p.Position.File, p.Position.Line, p.Position.Column, p.Message})
	}
	return all
}
