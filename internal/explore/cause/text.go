package cause

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

const shownCases = 3

const shownOthers = 5

// WriteText prints the group for people, with its number in the report.
func (g *Group) WriteText(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n%d. %s: %s\n", number, g.Oracle, g.Message)
	if g.Known != nil {
		fmt.Fprintf(b, "   fault: %s\n   same as: %s\n", g.Case.Describe(), g.Known)
		return
	}
	if sentence := rule.Sentence(g.Rule); sentence != "" {
		fmt.Fprintf(b, "   rule:  %s\n", sentence)
	}
	if g.Why != "" {
		fmt.Fprintf(b, "   why:   %s\n", g.Why)
	}
	fmt.Fprintf(b, "   fault: %s\n", g.Case.Describe())
	writeList(b, "seen: ", g.Seen)
	writeList(b, "also: ", g.Others[:min(len(g.Others), shownOthers)])
	if n := len(g.Cases); n > 1 {
		writeList(b, fmt.Sprintf("cases: %d, of them", n), g.Cases[:min(n, shownCases)])
	}
	switch {
	case g.Confirmed:
		if text := g.confirmation(); text != "" {
			fmt.Fprintf(b, "   %s\n", text)
		}
	case g.Runs == 0: // exploration was interrupted
		fmt.Fprintln(b, "   not run again, not shrunk")
	case g.Starved:
		fmt.Fprintf(b, "   seen once in %s, while other work kept the machine busy: it does not fail the exploration\n",
			counted.Of(g.Runs, "run"))
	default:
		fmt.Fprintf(b, "   seen once in %s, not shrunk\n", counted.Of(g.Runs, "run"))
	}
	if g.File != "" {
		g.writeFiles(b)
	}
}

// writeFiles prints the files of the shrunk scenario, and what it does when it is run alone.
func (g *Group) writeFiles(b *strings.Builder) {
	fmt.Fprintf(b, "   scenario:  %s\n", g.File)
	if g.Recording != "" {
		fmt.Fprintf(b, "   recording: %s\n   timeline:  %s\n", g.Recording, g.Timeline)
	}
	switch {
	case g.Verified:
	case run.Compared(g.Oracle):
		fmt.Fprintf(b, "   run alone, the scenario %s; only an exploration judges %s: its report has the finding\n", g.Rerun, g.Oracle)
	default:
		fmt.Fprintf(b, "   run alone, the scenario %s; expected: failed by %s\n", g.Rerun, g.Oracle)
	}
}

func writeList[T any](b *strings.Builder, title string, items []T) {
	for _, item := range items {
		fmt.Fprintf(b, "   %s %v\n", title, item)
		title = strings.Repeat(" ", len(title))
	}
}
