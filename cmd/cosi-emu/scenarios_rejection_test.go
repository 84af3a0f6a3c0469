package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRunRejections: invalid input starts nothing.
func TestRunRejections(t *testing.T) {
	h := newHome(t)
	h.setTraps()
	h.write("good.yaml", scenario("good", claims))
	h.write("same.yaml", scenario("good", claims))
	h.write("bad.yaml", scenario("first", "- setle:\n")+scenario("second", "- settle: {quiet: 0s}\n"))
	for _, dir := range []string{"empty", "secret"} {
		if err := os.Mkdir(filepath.Join(h.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.write("secret/pod.yaml", "apiVersion: v1\nkind: Pod\n")
	for name, tc := range map[string]struct {
		reason string
		args   []string
		want   []string // in the output
	}{
		"Nothing": {"There is nothing to run.", nil, []string{"requires a file or a directory"}},
		"NoFile":  {"It is not there.", []string{"none.yaml"}, []string{"none.yaml"}},
		"Empty":   {"There is no scenario.", []string{"empty"}, []string{"no scenario to run", "empty"}},
		"Parse": {
			"All problems of all files.", []string{"bad.yaml", "good.yaml", "same.yaml"},
			[]string{
				"bad.yaml:6:3: unknown field \"setle\": did you mean \"settle\"?", "bad.yaml:14:19: the duration 0s",
				"same.yaml:1:1: scenario \"good\" already exists at good.yaml:1:1", "3 problems; nothing was started",
			},
		},
		"Kind": {
			"Something else in the directory.", []string{"secret"},
			[]string{"secret/pod.yaml:1:1: apiVersion is \"v1\", must be cosi-emu/v1alpha1"},
		},
		"Filter":   {"It selects nothing.", []string{"good.yaml", "--filter", "a=b"}, []string{"none of 1", "the names are good"}},
		"Scenario": {"It selects nothing.", []string{"good.yaml", "--scenario", "b*"}, []string{"none of 1", "the names are good"}},
		"Selector": {"It is none.", []string{"good.yaml", "--filter", "a==="}, []string{"label selector \"a===\""}},
		"Report":   {"Of no known form.", []string{"good.yaml", "--report", "pdf=x"}, []string{"--report \"pdf=x\" must be html=FILE"}},
		"NoFormat": {"Two words.", []string{"good.yaml", "--report", "html"}, []string{"must be html=FILE"}},
		"JUnitDir": {
			"There is no directory.", []string{"good.yaml", "--junit", "no/x.xml"},
			[]string{"the directory of no/x.xml does not exist"},
		},
		"SameFile": {
			"Both to one file.", []string{"good.yaml", "--junit", "x", "--report", "json=./x"},
			[]string{"another report is also written to ./x"},
		},
		"Parallel": {"Less than one.", []string{"good.yaml", "--parallel", "-1"}, []string{"--parallel -1"}},
		"Timeout":  {"No time.", []string{"good.yaml", "--timeout", "0s"}, []string{"--timeout 0s must be more than 0"}},
		"Suite":    {"It has files of its own.", []string{"good.yaml", "--suite"}, []string{"good.yaml"}},
		"Watch":    {"Its files do not change.", []string{"--suite", "--watch"}, []string{"--suite and --watch"}},
		"Restart":  {"There are no data.", []string{"good.yaml", "--restart"}, []string{"--restart requires --data-dir"}},
		"Kept": {
			"Its emulator stops.", []string{"good.yaml", "--restart", "--data-dir", "d", "--keep"}, []string{"excludes --watch and --keep"},
		},
		"Existing": {"Flags of another kind.", []string{"good.yaml", "--context", "x"}, []string{"--existing-cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := h.run(append([]string{"run"}, tc.args...)...)
			if r.code != 2 || r.out != "" || strings.Contains(r.err, "etcd") {
				t.Errorf("%s exit code %d, and it says\n%s%s", tc.reason, r.code, r.out, r.err)
			}
			for _, want := range tc.want {
				if !strings.Contains(r.err, want) {
					t.Errorf("%s it does not say %q, but:\n%s", tc.reason, want, r.err)
				}
			}
			h.expectNothingStarted()
		})
	}
}

// TestRunWithoutControlPlane has no control plane to start.
func TestRunWithoutControlPlane(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	h.write("good.yaml", scenario("good", claims))
	r := h.run("run", "good.yaml", "--control-plane-dir", filepath.Join(h.dir, "missing"))
	if r.code != 3 || !strings.Contains(r.err, "Error: control plane programs: ") {
		t.Errorf("exit code %d, want 3 for the environment: %s", r.code, r.err)
	}
}

// TestLint: lint reports the positions of problems in invalid files.
func TestLint(t *testing.T) {
	h := newHome(t)
	h.setTraps()
	step := func(text string) string { return scenario("s", text) }
	head := "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps:\n"
	h.write("circle.steps", head+"- use: circle.steps\n")
	h.write("thousand.steps", head+strings.Repeat("- use: hundred.steps\n", 1000))
	h.write("hundred.steps", head+strings.Repeat("- settle:\n", 100))
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Tab":         {"YAML has no tabs.", "name: x\n\tkind: y\n", ":2:1: this is not YAML: "},
		"Duplicate":   {"Which of them counts?", step("- settle: {quiet: 1s, quiet: 2s}"), ":6:23: duplicate key \"quiet\""},
		"Circle":      {"It would never end.", step("- use: circle.steps"), ":4:3: the files use each other in a circle"},
		"Verb":        {"There is none of this name.", step("- exepct: {}"), ":6:3: unknown field \"exepct\": did you mean \"expect\"?"},
		"CEL":         {"It is no expression.", step("- {settle: , when: '1 +'}"), ":6:20: the expression \"1 +\" is not valid CEL"},
		"CELFunction": {"There is none of this name.", step("- {settle: , when: 'size2(ns) > 1'}"), ":6:20: the expression"},
		"CELType":     {"It is no condition.", step("- {settle: , when: '1 + 1'}"), ":6:20: the expression \"1 + 1\" must return true or false"},
		"Million":     {"Too large to be a scenario.", step(strings.Repeat("- settle:\n", 1_000_000)), ":1:1: the file has "},
		"TenThousand": {"Still too many.", step(strings.Repeat("- settle:\n", 10_001)), ":10006:3: the scenario has more than 10000 steps"},
		"Included": {
			"A million, in few lines.", step(strings.Repeat("- use: thousand.steps\n", 10)),
			"thousand.steps:103:3: the scenario has more than 10000 steps",
		},
		"NotUTF8":  {"Cut in the middle of a letter.", step("- mark: \xc3\n"), ":6:9: the file is not UTF-8"},
		"Unbound":  {"Unbound.", step("- patch: {'Secret/${nothing}': {}}"), ":6:11: variable \"nothing\" is not defined at this step"},
		"Zero":     {"No time.", step("- {settle: , timeout: 0s}"), ":6:23: the duration 0s must be greater than zero"},
		"Negative": {"Less than no time.", step("- {settle: , timeout: -1s}"), ":6:23: the duration -1s must be greater than zero"},
		"Unit":     {"Seconds? Minutes?", step("- {settle: , timeout: 10}"), ":6:23: \"10\" must be a duration"},
		"Deep":     {"Too deep for a person.", step("- apply: " + strings.Repeat("[", 5000)), ":"},
		"Anchors":  {"They can grow without end.", step("- &a {settle: }\n- *a"), ":6:3: anchors and aliases are not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			file := "lint.yaml"
			h.write(file, tc.text)
			h.expectProblem(t, tc.reason, file, tc.want)
		})
	}
	t.Run("Huge", func(t *testing.T) {
		path := filepath.Join(h.dir, "huge.yaml")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		const size = 100 << 30 // a sparse file, which would take minutes to read
		if err := file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		h.expectProblem(t, "It is not read.", "huge.yaml", ":1:1: the file has at least 107374182400 bytes, at most 4194304 are allowed")
	})
}

// expectProblem expects that lint finds a problem at a position, and starts nothing.
func (h *home) expectProblem(t *testing.T, reason, file, want string) {
	t.Helper()
	r := h.run("lint", file)
	line, _, _ := strings.Cut(r.out, "\n")
	if r.code != 2 || !strings.Contains(r.out, want) || strings.HasPrefix(want, ":1") && !strings.HasPrefix(line, file+want) {
		t.Errorf("%s exit code %d, want %q in\n%.2000s%s", reason, r.code, want, r.out, r.err)
	}
	h.expectNothingStarted()
}

func TestLintJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("good.yaml", scenario("good", claims))
	if out := h.must("lint", "good.yaml"); out != "1 scenario in 1 file: no problems.\n" {
		t.Errorf("of a good file it says %s", out)
	}
	h.write("bad.yaml", scenario("bad", "- setle:"))
	r := h.run("lint", "good.yaml", "bad.yaml", "-o", "json")
	want := `{
  "scenarios": 1,
  "problems": [
    {
      "file": "bad.yaml",
      "line": 6,
      "column": 3,
      "message": "unknown field \"setle\": did you mean \"settle\"?"
    }
  ]
}
`
	if diff := cmp.Diff(want, r.out); diff != "" || r.code != 2 {
		t.Errorf("exit code %d, -want, +got:\n%s", r.code, diff)
	}
}
