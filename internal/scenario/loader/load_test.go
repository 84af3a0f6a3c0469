package loader_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

func scenario(name, label string, steps ...string) string {
	if len(steps) == 0 {
		steps = []string{"- settle:"}
	}
	return "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: " + name + "\nlabels: {speed: " + label + "}\nsteps:\n" +
		strings.Join(steps, "\n") + "\n---\n"
}

const stepList = "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps: [{settle: }]\n"

// write creates files in a directory of the test, which becomes the current one.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		rewrite(t, name, text)
	}
}

func rewrite(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func names(scenarios []*spec.Scenario) []string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.Name)
	}
	return all
}

func TestLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		files    map[string]string
		paths    []string
		want     []string
		problems []string // beginnings of messages
	}{
		"Files": {
			reason: "In the order in which they are given, each once.",
			files:  map[string]string{"a.yaml": scenario("a1", "x") + scenario("a2", "x"), "b": scenario("b", "x")},
			paths:  []string{"b", "a.yaml", "./b"}, want: []string{"b", "a1", "a2"},
		},
		"Directory": {
			reason: "In the order of names; not what is hidden, or has another ending.",
			files: map[string]string{
				"d/z.yaml": scenario("z", "x"), "d/e/a.yml": scenario("a", "x"), "d/.git/b.yaml": "x", "d/c.txt": "x", "d/steps.yaml": stepList,
			},
			paths: []string{"d"}, want: []string{"a", "z"},
		},
		"Here": {
			reason: "The dot is not hidden.", files: map[string]string{"a.yaml": scenario("a", "x")}, paths: []string{"."}, want: []string{"a"},
		},
		"Twice": {
			reason: "A file and its directory.", files: map[string]string{"d/a.yaml": scenario("a", "x")},
			paths: []string{"d/a.yaml", "d"}, want: []string{"a"},
		},
		"Problems": {
			reason: "All of them, of all files.",
			files: map[string]string{
				"a.yaml": scenario("same", "x"), "b.yaml": scenario("B", "x", "- sattle:") + scenario("other", "x", "- nothing:"),
				"c.yaml": scenario("same", "x"), "d.yaml": "kind: Pod\n",
			},
			paths: []string{"."}, want: []string{"same", "same"},
			problems: []string{
				"b.yaml:1:1: name is \"B\"", "b.yaml:6:3: unknown field",
				"b.yaml:13:3: unknown field", "c.yaml:1:1: scenario \"same\" already exists at a.yaml:1:1",
				"d.yaml:1:1: apiVersion", "d.yaml:1:1: kind is \"Pod\"",
			},
		},
		"StepList": {
			reason: "One that is named is to be run, and cannot be.", files: map[string]string{"s.yaml": stepList}, paths: []string{"s.yaml"},
			problems: []string{"s.yaml:1:1: kind is \"Steps\", must be Scenario"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, tc.files)
			set, err := loader.Load(tc.paths)
			if diff := cmp.Diff(tc.want, names(set.Scenarios)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
			problems := document.Problems(err)
			if len(problems) != len(tc.problems) || (err != nil) != (len(tc.problems) > 0) {
				t.Fatalf("%s problems: %v", tc.reason, err)
			}
			for i, want := range tc.problems {
				if !strings.HasPrefix(problems[i].Error(), want) {
					t.Errorf("%s problem %q, want %q", tc.reason, problems[i], want)
				}
			}
		})
	}
}

// TestMissingGolden verifies that a missing golden file is no error: 'run --update' writes it.
func TestMissingGolden(t *testing.T) {
	write(t, map[string]string{
		"d/a.yaml":     scenario("a", "x", "- golden: {file: there.yaml, objects: Bucket/b}", "- golden: {file: absent.yaml, objects: Bucket/b}"),
		"d/there.yaml": "kind: Steps\n",
	})
	set, err := loader.Load([]string{"d/a.yaml"})
	if err != nil || len(set.MissingGolden) != 1 {
		t.Fatalf("Load() = %v, %v; want one missing golden file", set.MissingGolden, err)
	}
	want := "d/a.yaml:7:3: golden file d/absent.yaml does not exist: write it with 'cosi-emu run d/a.yaml --update'"
	if diff := cmp.Diff(want, set.MissingGolden[0].Error()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestLoadNothing(t *testing.T) {
	write(t, map[string]string{"d/steps.yaml": stepList})
	if _, err := loader.Load([]string{"d"}); !errors.Is(err, loader.ErrNothing) {
		t.Errorf("a directory without scenarios: %v", err)
	}
	if _, err := loader.Load([]string{"none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

func TestFilter(t *testing.T) {
	write(t, map[string]string{"a.yaml": scenario("delete-one", "slow") + scenario("delete-two", "fast") + scenario("create", "fast")})
	set, err := loader.Load([]string{"a.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		labels string
		names  []string
		want   []string
	}{
		"All":      {want: []string{"delete-one", "delete-two", "create"}},
		"Label":    {labels: "speed=fast", want: []string{"delete-two", "create"}},
		"Set":      {labels: "speed notin (fast)", want: []string{"delete-one"}},
		"NoLabel":  {labels: "!speed"},
		"Name":     {names: []string{"create"}, want: []string{"create"}},
		"Patterns": {names: []string{"*-one", "c*"}, want: []string{"delete-one", "create"}},
		"Both":     {labels: "speed=fast", names: []string{"delete-*"}, want: []string{"delete-two"}},
	} {
		t.Run(name, func(t *testing.T) {
			filter, err := loader.NewFilter(tc.labels, tc.names)
			if err != nil {
				t.Fatal(err)
			}
			got, err := filter.Select(set.Scenarios)
			if diff := cmp.Diff(tc.want, names(got)); diff != "" || errors.Is(err, loader.ErrNothing) != (tc.want == nil) {
				t.Errorf("%v, -want, +got:\n%s", err, diff)
			}
		})
	}
	if _, err := loader.NewFilter("a==b==c", []string{"x"}); err == nil {
		t.Error("a==b==c is taken for a label selector")
	}
}
