// Package nightly_test runs the step of nightly.yaml that reports a failed part, as GitHub's
// runners do.
package nightly_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

const (
	// callsFile is the file to which the fake gh appends its calls. Both files are in its working directory.
	callsFile = "calls.json"
	// issuesFile contains the open issues.
	issuesFile = "issues.json"

	title = "nightly: nightly-explore fails"
)

type call struct {
	Arguments []string `json:"arguments"`
	Body      string   `json:"body"`
}

// TestMain runs the fake gh if the program has that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "gh" {
		m.Run()
		return
	}
	if err := fakeGH(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gh:", err)
		os.Exit(1)
	}
}

// fakeGH records a call, and prints the open issues in the form that a call requests.
func fakeGH(arguments []string) error {
	c := call{Arguments: arguments}
	if value(arguments, "--body-file") == "-" {
		body, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		c.Body = string(body)
	}
	recorded, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(callsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := fmt.Fprintf(file, "%s\n", recorded); err != nil {
		return err
	}
	if arguments[1] != "list" {
		return nil
	}
	open, err := os.ReadFile(issuesFile)
	if err != nil {
		return err
	}
	var issues []map[string]any
	if err := json.Unmarshal(open, &issues); err != nil {
		return err
	}
	list, err := template.New("").Parse(value(arguments, "--template")) //nolint:gosec // the script of this directory gives it
	if err != nil {
		return err
	}
	return list.Execute(os.Stdout, issues)
}

func value(arguments []string, flag string) string {
	if at := slices.Index(arguments, flag); at >= 0 && at+1 < len(arguments) {
		return arguments[at+1]
	}
	return ""
}

// step returns the command of the step in nightly.yaml, with the path of the script.
func step(t *testing.T) string {
	t.Helper()
	workflow, err := os.ReadFile("../../.github/workflows/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("report.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, arguments, found := strings.Cut(string(workflow), "run: hack/nightly/report.sh ")
	arguments, _, _ = strings.Cut(arguments, "\n")
	if !found {
		t.Fatal("nightly.yaml does not run hack/nightly/report.sh")
	}
	return "'" + script + "' " + arguments
}

// report runs the step with files in bin/found, and returns the calls of gh.
func report(t *testing.T, issues string, files map[string]string) []call {
	t.Helper()
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "gh")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, issuesFile), issues)
	for name, content := range files {
		write(t, filepath.Join(dir, "bin", "found", name), content)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", step(t))
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + dir + ":" + os.Getenv("PATH"), "PART=nightly-explore", "SEED=17",
		"GITHUB_SERVER_URL=https://github.example", "GITHUB_REPOSITORY=o/r", "GITHUB_RUN_ID=42", "GITHUB_SHA=c0ffee",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return load(t, filepath.Join(dir, callsFile))
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, file string) (calls []call) {
	t.Helper()
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(recorded)) {
		var c call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

func list() call {
	return call{Arguments: []string{
		"issue", "list", "--state", "open", "--search", `in:title "` + title + `"`, "--limit", "100", "--json", "title,url",
		"--template", `{{range .}}{{.url}} {{.title}}{{"\n"}}{{end}}`,
	}}
}

const summary = "`nightly-explore` failed in https://github.example/o/r/actions/runs/42\n" + `
- commit: c0ffee
- seed: 17

Repeat it with:

` + "```sh" + `
git switch --detach c0ffee
make nightly-explore SEED=17
` + "```\n"

const noFindings = summary + "\nThere are no finding files: the log of the run has the failure.\n"

func TestCalls(t *testing.T) {
	create := []string{"issue", "create", "--title", title, "--body-file", "-"}
	tests := map[string]struct {
		reason string
		issues string
		files  map[string]string
		want   call
	}{
		"NoFindings": {
			reason: "The part failed before it wrote a file.", issues: "[]",
			want: call{Arguments: create, Body: noFindings},
		},
		"Findings": {
			reason: "Text files are in the body, and a fence is longer than those of the file.", issues: "[]",
			files: map[string]string{
				"lifecycle-01-leak.yaml": "name: lifecycle\n", "lifecycle-01-leak.cosirec": "\x00", "lifecycle-01-leak.html": "<p>",
				"notes.md": "```\n````\n",
			},
			want: call{Arguments: create, Body: summary + "\n## Findings\n\nThe artifact `found-nightly-explore` of the run has all files.\n" +
				"\n### notes.md\n\n`````text\n```\n````\n`````\n\n### lifecycle-01-leak.yaml\n\n```yaml\nname: lifecycle\n```\n"},
		},
		"OtherFiles": {
			reason: "Without text files there is nothing to show.", issues: "[]",
			files: map[string]string{"report.html": "<p>"},
			want:  call{Arguments: create, Body: noFindings},
		},
		"Open": {
			reason: "The part has an open issue.",
			issues: `[{"url": "https://github.example/o/r/issues/3", "title": "` + title + `"}]`,
			want:   call{Arguments: []string{"issue", "comment", "https://github.example/o/r/issues/3", "--body-file", "-"}, Body: noFindings},
		},
		"SimilarTitle": {
			reason: "The search finds titles that contain the words; they must be equal.",
			issues: `[{"url": "u1", "title": "` + title + ` on macOS"}, {"url": "u2", "title": "Re: ` + title + `"}]`,
			want:   call{Arguments: create, Body: noFindings},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]call{list(), tc.want}, report(t, tc.issues, tc.files)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLimit checks that GitHub accepts the body, that a file is cut after a line, and that the rest is counted.
func TestLimit(t *testing.T) {
	const line = "- ä: 0123456789\n"
	long := strings.Repeat(line, 4000)
	body := report(t, "[]", map[string]string{"a.yaml": "a: b\n", "b.yaml": long, "c.yaml": "c: d\n", "d.yaml": "e: f\n"})[1].Body
	if most := 65536; len(body) > most || len(body) < 60000 {
		t.Errorf("the body has %d bytes, want 60000 to %d", len(body), most)
	}
	cut := fmt.Sprintf("\n%s```\n\nCut: the file has %d bytes.\n\nFiles that are not shown: 2\n", line, len(long))
	if !strings.Contains(body, "a: b") || !strings.HasSuffix(body, cut) {
		t.Errorf("the body ends with %q, want %q", body[len(body)-len(cut):], cut)
	}
}
