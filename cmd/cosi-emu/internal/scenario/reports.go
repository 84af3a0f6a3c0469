package scenario

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
)

const (
	formatHTML     = "html"
	formatMarkdown = "md"

	reportDirMode = 0o755
)

// reports has the flags of the report files.
type reports struct {
	files []string // FORMAT=FILE
	junit string
	title string // of the reports without a title of their own
	made  string // a directory that the command creates itself, or ""
}

func (r *reports) addFlags(flags *pflag.FlagSet) {
	r.addReportFlag(flags)
	flags.StringVar(&r.junit, "junit", "", "file for a JUnit XML report")
}

// addReportFlag adds the flag of a command without JUnit reports.
func (r *reports) addReportFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&r.files, "report", nil, "report to write, html=FILE, json=FILE or md=FILE; can be repeated")
}

type destination struct {
	file  string
	write func(io.Writer, report.Report) error
}

// destinations returns the report files, or rejects wrong flags before anything
// starts.
func (r *reports) destinations(text report.Text) ([]destination, error) {
	var all []destination
	add := func(flag, file string, write func(io.Writer, report.Report) error) error {
		isMade := r.made != "" && filepath.Clean(r.made) == filepath.Dir(file)
		if info, err := os.Stat(filepath.Dir(file)); (err != nil || !info.IsDir()) && !isMade {
			return cli.Usage(fmt.Errorf("%s: the directory of %s does not exist", flag, file))
		}
		if slices.ContainsFunc(all, func(d destination) bool { return filepath.Clean(d.file) == filepath.Clean(file) }) {
			return cli.Usage(fmt.Errorf("%s: another report is also written to %s", flag, file))
		}
		all = append(all, destination{file, write})
		return nil
	}
	if r.junit != "" {
		junit := func(w io.Writer, r report.Report) error { return r.WriteJUnit(w, text) }
		if err := add("--junit", r.junit, junit); err != nil {
			return nil, err
		}
	}
	writers := map[string]func(io.Writer, report.Report) error{
		formatHTML: func(w io.Writer, r report.Report) error {
			return timeline.WriteAs(w, r, timeline.Presentation{Rerun: text.Rerun, Program: text.Program})
		},
		cli.FormatJSON: func(w io.Writer, r report.Report) error { return r.WriteJSON(w) },
		formatMarkdown: func(w io.Writer, shown report.Report) error { return shown.WriteMarkdown(w, r.title) },
	}
	for _, given := range r.files {
		format, file, _ := strings.Cut(given, "=")
		if writers[format] == nil || file == "" {
			return nil, cli.Usage(fmt.Errorf("--report %q must be html=FILE, json=FILE or md=FILE", given))
		}
		if err := add("--report", file, writers[format]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// appendSummary appends a report to the summary of a step of GitHub Actions.
func (r *reports) appendSummary(shown report.Report) error {
	err := cli.AppendStepSummary(func(w io.Writer) error { return shown.WriteMarkdown(w, r.title) })
	if err != nil {
		return fmt.Errorf("write the summary of the step: %w", err)
	}
	return nil
}

func (d destination) save(r report.Report) (err error) {
	if err := os.MkdirAll(filepath.Dir(d.file), reportDirMode); err != nil { // of --out, which has no findings yet
		return fmt.Errorf("write the report: %w", err)
	}
	file, err := os.Create(d.file)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	return d.write(file, r)
}
