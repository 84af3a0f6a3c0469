package timeline

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// sourceFile is a file of a scenario, with the lines of its failures marked.
type sourceFile struct {
	File string
	// Open means that the file has a failure.
	Open  bool
	Lines []sourceLine
}

// sourceLine is a line of a file. Class is failed, differs or empty.
type sourceLine struct {
	Number      int
	Class, Text string
}

const (
	lineFailed  = "failed"  // the failed step or scenario
	lineDiffers = "differs" // the expected value
)

func newSources(s report.Scenario) []sourceFile {
	files := make([]sourceFile, 0, len(s.Sources))
	for _, source := range s.Sources {
		marked := failedLines(s, source.File)
		file := sourceFile{File: source.File}
		number := source.Line
		for line := range strings.Lines(source.Text) {
			class := marked[number]
			file.Open = file.Open || class != ""
			file.Lines = append(file.Lines, sourceLine{number, class, strings.TrimRight(line, "\r\n")})
			number++
		}
		files = append(files, file)
	}
	return files
}

func failedLines(s report.Scenario, file string) map[int]string {
	marked := map[int]string{}
	for i := range s.Failures {
		f := &s.Failures[i]
		for _, d := range f.Differences {
			if d.Position.File == file {
				marked[d.Position.Line] = lineDiffers
			}
		}
	}
	for i := range s.Failures {
		f := &s.Failures[i]
		if f.Position.File == file {
			marked[f.Position.Line] = lineFailed
		}
		if f.Step != nil && *f.Step >= 0 && *f.Step < len(s.Steps) && s.Steps[*f.Step].Position.File == file {
			marked[s.Steps[*f.Step].Position.Line] = lineFailed
		}
	}
	return marked
}
