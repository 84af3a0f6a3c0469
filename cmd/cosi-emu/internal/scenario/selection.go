package scenario

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

type selection struct {
	labels string
	names  []string
}

func (s *selection) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.labels, "filter", "",
		"label selector of scenarios, as in kubectl: area=deletion,speed!=slow")
	flags.StringArrayVar(&s.names, "scenario", nil,
		"pattern of scenario names, with * for any characters; can be repeated")
}

func (s *selection) filter() (loader.Filter, error) {
	filter, err := loader.NewFilter(s.labels, s.names)
	if err != nil {
		return filter, cli.Usage(err)
	}
	return filter, nil
}

// load reads and selects scenarios, and prints the problems of their files.
func (s *selection) load(w io.Writer, source func() (*loader.Set, error)) (*loader.Set, []*spec.Scenario, error) {
	filter, err := s.filter()
	if err != nil {
		return nil, nil, err
	}
	set, err := source()
	if problems := document.Problems(err); len(problems) > 0 {
		printProblems(w, problems)
		return nil, nil, cli.Usage(fmt.Errorf("%s; nothing was started", counted.Of(len(problems), "problem")))
	}
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	scenarios, err := filter.Select(set.Scenarios)
	if err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("%w; the names are %s", err, namesOf(set.Scenarios)))
	}
	return set, scenarios, nil
}

func namesOf(scenarios []*spec.Scenario) string {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// printProblems prints a line for each problem, in the form that editors can jump to.
func printProblems(w io.Writer, problems []*document.Problem) {
	for _, problem := range problems {
		_, _ = fmt.Fprintln(w, problem) // output has no reader
	}
}
