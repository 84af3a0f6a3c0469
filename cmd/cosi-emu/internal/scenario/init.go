package scenario

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/scaffold"
)

var nextSteps = map[scaffold.Kind]string{
	scaffold.Scenario:   "run it with 'cosi-emu run %s --watch'",
	scaffold.Explore:    "explore it with 'cosi-emu explore %s --out found/'",
	scaffold.DriverTest: "run it with 'go get github.com/cosi-emu/cosi-emu@latest && go test'",
	scaffold.CI:         "it runs when you push it",
}

// NewInit returns the command init.
func NewInit(streams cli.Streams) *cobra.Command {
	var (
		force   bool
		program string
	)
	const most = 2
	cmd := &cobra.Command{
		Use:   "init scenario|explore|driver-test|ci [FILE]",
		Short: "Write a commented file to start from",
		Long: `Write a commented file to start from:

  scenario     a scenario for 'cosi-emu run'; default scenario.yaml
  explore      a scenario for 'cosi-emu explore'; default lifecycle.yaml
  driver-test  a test of a driver in Go: conformance, and the scenarios of testdata/;
               default cosi_test.go
  ci           a workflow for GitHub Actions that tests a driver;
               default .github/workflows/cosi.yaml

FILE can be -, for standard output. An existing file is kept.`,
		Example: `  cosi-emu init scenario testdata/photos.yaml
  cosi-emu init explore lifecycle.yaml
  cosi-emu init driver-test --program ./cmd/my-driver
  cosi-emu init ci
  cosi-emu init scenario - | cosi-emu lint /dev/stdin`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > most {
				return fmt.Errorf("'cosi-emu init' requires one of %s, and may have a file", strings.Join(scaffold.Kinds(), ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return scaffold.Kinds(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return initialize(streams, scaffold.Kind(args[0]), args[1:], program, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().StringVar(&program, "program", "./cmd/driver", "Go package of the driver, for driver-test and ci")
	return cmd
}

func initialize(streams cli.Streams, kind scaffold.Kind, files []string, program string, force bool) error {
	file, err := scaffold.DefaultFile(kind)
	if err != nil {
		return cli.Usage(err)
	}
	named := file // by the commands in the file; standard output has no name of its own
	if len(files) > 0 {
		file = files[0]
	}
	if file != "-" {
		named = file
	}
	content, err := scaffold.Render(kind, named, program)
	if err != nil {
		return err
	}
	if file == "-" {
		_, err := streams.Out.Write(content)
		return err
	}
	if err := scaffold.Write(file, content, force); err != nil {
		return cli.Usage(err)
	}
	next := nextSteps[kind]
	if strings.Contains(next, "%s") {
		next = fmt.Sprintf(next, cli.Quote(file))
	}
	_, err = fmt.Fprintf(streams.Out, "%s is written: %s\n", file, next)
	return err
}
