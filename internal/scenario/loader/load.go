package loader

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
)

// Set has the loaded scenarios.
type Set struct {
	// Scenarios are in the order of their files.
	Scenarios []*spec.Scenario
	// Files are the files with scenarios.
	Files []string
	// MissingGolden has a [document.Problem] for each golden file that does not exist. 'run --update' writes it.
	MissingGolden []*document.Problem

	dirs   []string          // directories whose changes may concern the set
	prints map[string]string // hash of the inputs of each file
}

// Load reads the scenarios in files, and in the YAML files of directories and below. It skips step
// lists in directories, which are read where they are used. The error is ErrNothing, the error of
// an unreadable path, or has a [document.Problem] for every mistake in all files.
func Load(paths []string) (*Set, error) {
	found, err := find(paths)
	if err != nil {
		return nil, err
	}
	set := &Set{dirs: found.dirs, prints: map[string]string{}}
	var failed []error
	for _, file := range found.files {
		failed = append(failed, set.load(file, found.named[file]))
	}
	failed = append(failed, set.duplicates()...)
	if err := errors.Join(failed...); err != nil {
		return set, err
	}
	if len(set.Scenarios) == 0 {
		return set, fmt.Errorf("%w in %q", ErrNothing, paths)
	}
	return set, nil
}

// load reads one file. Every error is reported as a problem of the file.
func (s *Set) load(file string, named bool) error {
	sum := sha256.New()
	read := func(name string) ([]byte, error) {
		data, err := document.ReadFile(name)
		s.addDir(filepath.Dir(name))
		_, _ = fmt.Fprintf(sum, "%s %d %v\n%s", name, len(data), err, data)
		return data, err
	}
	defer func() { s.prints[file] = fmt.Sprintf("%x", sum.Sum(nil)) }()
	data, err := read(file)
	if err != nil {
		return problem(file, err)
	}
	if !named && spec.IsStepList(data) {
		return nil
	}
	scenarios, err := spec.Loader{ReadFile: read}.Parse(filepath.ToSlash(file), data)
	for _, scenario := range scenarios {
		if file := scenario.SnapshotFile(); file != "" {
			if _, err := snapshot.Open(file); err != nil {
				return &document.Problem{Position: scenario.Setup.Position, Message: "snapshot: " + err.Error()}
			}
		}
		for _, golden := range goldenFiles(scenario.Steps) {
			if _, err := read(golden.path); errors.Is(err, fs.ErrNotExist) {
				s.MissingGolden = append(s.MissingGolden, missingGolden(file, golden))
			}
		}
	}
	if err != nil {
		return problem(file, err)
	}
	s.Files = append(s.Files, file)
	s.Scenarios = append(s.Scenarios, scenarios...)
	return nil
}

func missingGolden(scenario string, golden goldenFile) *document.Problem {
	return &document.Problem{Position: golden.step, Message: fmt.Sprintf(
		"golden file %s does not exist: write it with 'cosi-emu run %s --update'", golden.path, scenario)}
}

func (s *Set) addDir(dir string) {
	if !slices.Contains(s.dirs, dir) {
		s.dirs = append(s.dirs, dir)
	}
}

// problem converts an error to one of the file, if necessary.
func problem(file string, err error) error {
	if len(document.Problems(err)) > 0 {
		return err
	}
	return &document.Problem{Position: document.Position{File: file, Line: 1, Column: 1}, Message: err.Error()}
}

// duplicates finds scenarios of the same name: reports and commands refer to them by name.
func (s *Set) duplicates() []error {
	var failed []error
	first := map[string]document.Position{}
	for _, scenario := range s.Scenarios {
		if at, ok := first[scenario.Name]; ok {
			failed = append(failed, &document.Problem{
				Position: scenario.Position,
				Message:  fmt.Sprintf("scenario %q already exists at %s: rename one of them", scenario.Name, at),
			})
			continue
		}
		first[scenario.Name] = scenario.Position
	}
	return failed
}
