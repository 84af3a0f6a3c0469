package scenarios

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// T is the part of a test that a scenario uses; *testing.T and *testing.B implement it.
type T interface {
	// Name is the name for go test -run.
	Name() string
	Helper()
	Context() context.Context
	Cleanup(f func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
}

// Suite is a test with subtests, such as *testing.T.
type Suite[Self any] interface {
	T
	Parallel()
	Run(name string, f func(t Self)) bool
}

// Run runs the scenarios of the files that match a pattern of filepath.Glob, each as a subtest of
// its name. They run in parallel, except for those that disturb shared components, which run first.
// Matching lists of steps are skipped. A pattern without a match, a file that cannot be read and a
// duplicate name fail the test before anything starts.
func Run[Test Suite[Test]](t Test, pattern string, options ...Option) {
	t.Helper()
	all, err := load(pattern)
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	stages := map[objectstorage.Version]*stage{}
	for _, s := range all {
		if stages[s.API()] == nil {
			stages[s.API()] = open(t, options, s.API())
		}
	}
	for _, s := range all {
		t.Run(s.Name, func(t Test) {
			t.Helper()
			if !requirements.RunsAlone(s) {
				t.Parallel()
			}
			if s.StartsOwn() && stages[s.API()].startsOwn() {
				stages[s.API()].playAlone(t, s)
				return
			}
			stages[s.API()].play(t, s)
		})
	}
}

// open opens a stage for a version of the COSI kinds until the test and its subtests have ended.
func open(t T, options []Option, api objectstorage.Version) *stage {
	t.Helper()
	stage, closeStage := openStage(options, api)
	t.Cleanup(func() {
		if err := closeStage(); err != nil {
			t.Errorf("after the last scenario: %v", err)
		}
	})
	return stage
}

// load reads the scenarios of all files, and reports every problem.
func load(pattern string) ([]*spec.Scenario, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", pattern)
	}
	var all []*spec.Scenario
	var found []error
	names := map[string]document.Position{}
	for _, file := range files {
		read, err := loadFile(filepath.ToSlash(file), file == pattern)
		if err != nil {
			found = append(found, err)
			continue
		}
		for _, s := range read {
			if first, twice := names[s.Name]; twice {
				message := fmt.Sprintf("scenario %q already exists at %s", s.Name, first)
				found = append(found, &document.Problem{Position: s.Position, Message: message})
			}
			names[s.Name] = s.Position
		}
		all = append(all, read...)
	}
	return all, problems(found)
}

// loadFile reads the scenarios of a file. A list of steps has none, unless the file was named
// explicitly: then it is read as a scenario, for a helpful error.
func loadFile(file string, named bool) ([]*spec.Scenario, error) {
	data, err := document.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	if !named && spec.IsStepList(data) {
		return nil, nil
	}
	return spec.Loader{}.Parse(file, data)
}
