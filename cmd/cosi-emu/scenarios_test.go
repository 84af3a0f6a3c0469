package main_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

func scenario(name, steps string) string {
	return "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: " + name + "\nlabels: {story: " + name + "}\nsteps:\n" + steps + "\n---\n"
}

const (
	claims = `- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}` + "\n"
	ready  = `- expect: {BucketClaim/photos: {status: {readyToUse: true}}}` + "\n"
	// unready does not hold after claims and ready.
	unready = `- name: it is not ready
  timeout: 100ms
  expect: {BucketClaim/photos: {status: {readyToUse: false, boundBucketName: present}}}` + "\n"
	touches = `- exec: {command: [touch, started]}` + "\n"
)

func (h *home) readReport(name string) report.Report {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		h.t.Fatal(err)
	}
	if r.APIVersion != report.APIVersion {
		h.t.Errorf("%s has apiVersion %s", name, r.APIVersion)
	}
	return r
}

func outcomes(r report.Report) map[string]outcome.Outcome {
	all := map[string]outcome.Outcome{}
	for _, s := range r.Scenarios {
		all[s.Name] = s.Outcome
	}
	return all
}

// TestRunSuite runs one scenario of the suite, whose files only the program has, and replays its
// recording.
func TestRunSuite(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	out := h.must("run", "--suite", "--filter", "area=deletion", "--scenario", "bucket-first", "--record", "recordings")
	if !strings.Contains(out, "\n1 passed in ") {
		t.Errorf("the run prints\n%s", out)
	}
	recordings, err := filepath.Glob(filepath.Join(h.dir, "recordings", "bucket-first.*.cosirec"))
	if err != nil || len(recordings) != 1 {
		t.Fatalf("recordings %v, %v", recordings, err)
	}
	if out := h.must("replay", recordings[0]); !strings.Contains(out, "passed, as recorded") {
		t.Errorf("the replay prints\n%s", out)
	}
}

// TestRunSuiteOverBridge: a bridge is for v1alpha2. Scenarios for v1alpha1 are skipped, which is an error for one that --scenario
// names alone.
func TestRunSuiteOverBridge(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const reason, counts = "it is for the kinds of v1alpha1", "\n1 passed, 1 skipped in "
	for _, tc := range []struct {
		names []string
		code  int
	}{
		{[]string{"--scenario", "*silence"}, 0},
		{[]string{"--scenario", "silence", "--scenario", "v1alpha1-silence"}, 2},
	} {
		r := h.run(append([]string{"run", "--suite", "--dialect", "v1alpha1"}, tc.names...)...)
		if r.code != tc.code || !strings.Contains(r.out, reason) || !strings.Contains(r.out, counts) {
			t.Errorf("%v: exit code %d, want %d, %q and %q:\n%s", tc.names, r.code, tc.code, reason, counts, r.out)
		}
		want := "scenario v1alpha1-silence is skipped: " + reason + ": requires an emulator that serves them; " +
			"meet the requirement, or leave --scenario v1alpha1-silence out"
		if strings.Contains(r.err, want) != (tc.code == 2) {
			t.Errorf("%v: exit code %d, and the error is\n%s", tc.names, r.code, r.err)
		}
	}
}

// TestRunSkipped: a run in which nothing ran has tested nothing, and neither has a name of which nothing ran.
func TestRunSkipped(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("runs.yaml", scenario("runs", "- exec: {command: ['true']}\n"))
	h.write("old.yaml", strings.Replace(scenario("old", "- exec: {command: ['true']}\n"), "steps:", "setup: {api: v1alpha1}\nsteps:", 1))
	h.write("good.yaml", scenario("good", "- settle: {}\n"))
	const program = "is skipped: it runs a program: requires --allow-exec"
	for name, tc := range map[string]struct {
		args []string
		code int
		want string // in the error
	}{
		"File":     {[]string{"runs.yaml"}, 2, "no scenario ran: scenario runs " + program},
		"V1alpha1": {[]string{"old.yaml"}, 2, "no scenario ran: scenario old " + program},
		"Both":     {[]string{"old.yaml", "runs.yaml"}, 2, "no scenario ran: scenario "},
		"Beside":   {[]string{"runs.yaml", "old.yaml", "good.yaml"}, 0, ""},
		"Name": {
			[]string{"runs.yaml", "good.yaml", "--scenario", "good", "--scenario", "r*"}, 2,
			"scenario runs " + program + "; meet the requirement, or leave --scenario 'r*' out",
		},
		"Pattern":  {[]string{"runs.yaml", "good.yaml", "--scenario", "*"}, 0, ""},
		"Misspelt": {[]string{"runs.yaml", "good.yaml", "--scenario", "good", "--scenario", "rusn"}, 2, "none of 2 has the name rusn"},
		"Filter":   {[]string{"runs.yaml", "good.yaml", "--filter", "story=runs"}, 2, "no scenario ran: scenario runs " + program},
		"Suite": {
			[]string{"--suite", "--scenario", "v1alpha1-silence", "--api", "v1alpha2"}, 2,
			"no scenario would run: ",
		},
		"SuiteLabel": {
			[]string{"--suite", "--filter", "api=v1alpha1,area=conformance", "--api", "v1alpha2"}, 2, "leave --api v1alpha2 out",
		},
		"SuiteRequires": {
			[]string{"--suite", "--no-s3", "--scenario", "bucket-with-objects"}, 2,
			"no scenario ran: scenario bucket-with-objects is skipped: no S3 service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := h.run(append([]string{"run"}, tc.args...)...)
			if r.code != tc.code || !strings.Contains(r.err, tc.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", r.code, tc.code, tc.want, r.out, r.err)
			}
		})
	}
}

// TestRunSuiteWithDataDir runs scenarios of both versions, whose emulators have a data directory each, and again with
// emulators that start in the place of others.
func TestRunSuiteWithDataDir(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	out := h.must("run", "--suite", "--scenario", "silence", "--scenario", "v1alpha1-silence", "--data-dir", "data")
	if !strings.Contains(out, "\n2 passed in ") {
		t.Errorf("the run prints\n%s", out)
	}
	h.must("run", "--suite", "--scenario", "silence", "--scenario", "v1alpha1-silence", "--data-dir", "data",
		"--restart", "--report", "json=r.json")
	want := map[string]outcome.Outcome{"silence": outcome.Passed, "v1alpha1-silence": outcome.Passed}
	if diff := cmp.Diff(want, outcomes(h.readReport("r.json"))); diff != "" {
		t.Errorf("with --restart: -want, +got:\n%s", diff)
	}
	for _, version := range []string{"v1alpha1", "v1alpha2"} {
		if kept, err := os.ReadDir(filepath.Join(h.dir, "data", version)); err != nil || len(kept) == 0 {
			t.Errorf("the data directory of %s has %d files, error %v", version, len(kept), err)
		}
	}
}

// TestRunSuiteSelects: without a label all scenarios of the embedded suite run, and with one those
// that have it.
func TestRunSuiteSelects(t *testing.T) {
	t.Parallel()
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	want := map[string]outcome.Outcome{}
	for _, s := range set.Scenarios {
		all = append(all, s.Name)
		if s.Labels["area"] == "protocols" {
			want[s.Name] = outcome.Passed
		}
	}
	h := newHome(t)
	names := "none of " + strconv.Itoa(len(all)) + " matches the labels and names; the names are " + strings.Join(all, ", ")
	if r := h.run("run", "--suite", "--scenario", "no-such-scenario"); r.code != 2 || !strings.Contains(r.err, names) {
		t.Errorf("exit code %d, want %q in\n%s", r.code, names, r.err)
	}
	h.must("run", "--suite", "--filter", "area=protocols", "--report", "json=r.json")
	if diff := cmp.Diff(want, outcomes(h.readReport("r.json"))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestRunScenarios runs scenarios of every outcome, and checks the reports.
func TestRunScenarios(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a.yaml", scenario("good", claims+ready)+scenario("program", touches))
	h.write("b.yml", scenario("bad", claims+ready+unready))
	h.write("list.yaml", "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps: [{settle: }]\n")
	h.write("other.txt", "not YAML: [")

	r := h.run("run", ".", "--report", "json=r.json", "--report", "html=r.html", "--junit", "j.xml")
	if r.code != 1 {
		t.Errorf("exit code %d, want 1 for a failed condition: %s", r.code, r.err)
	}
	for _, want := range []string{
		"FAILED: bad (b.yml:1:1)\n", "step 3, expect: it is not ready", "-  readyToUse: false\n", "+  readyToUse: true\n",
		"DriverCreateBucket", "create buckets", "AdminCreateBucket", // RPC, API, store
		"skipped  ", "it runs a program: requires --allow-exec", "1 passed, 1 failed, 1 skipped in ",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it does not say %q, but:\n%s", want, r.out)
		}
	}
	if !strings.Contains(r.err, "3 of 3 scenarios") {
		t.Errorf("its progress is:\n%s", r.err)
	}
	reported := h.readReport("r.json")
	want := map[string]outcome.Outcome{"good": outcome.Passed, "program": outcome.Skipped, "bad": outcome.Failed}
	if diff := cmp.Diff(want, outcomes(reported)); diff != "" || reported.Outcome != outcome.Failed {
		t.Errorf("the report is %s: -want, +got:\n%s", reported.Outcome, diff)
	}
	checkJUnit(t, filepath.Join(h.dir, "j.xml"))
	if page, err := os.ReadFile(filepath.Join(h.dir, "r.html")); err != nil || !strings.Contains(string(page), "it is not ready") {
		t.Errorf("the page does not show the step that failed: %v", err)
	}
	h.expectNothingLeft()
	h.runAgain(r.out)
}

func checkJUnit(t *testing.T, path string) {
	t.Helper()
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name string `xml:"name,attr"`
		} `xml:"testsuite"`
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = xml.Unmarshal(data, &suites)
	}
	if err != nil || suites.Tests != 3 || suites.Failures != 1 || suites.Skipped != 1 || len(suites.Suites) != 2 {
		t.Errorf("%v: JUnit has %+v", err, suites)
	}
}

// runAgain runs the printed command that repeats the failure.
func (h *home) runAgain(out string) {
	h.t.Helper()
	_, after, _ := strings.Cut(out, "run just this again:\n\n")
	command, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	if !strings.Contains(command, " run b.yml --scenario bad") {
		h.t.Fatalf("the command is %q", command)
	}
	if again := h.paste(command); again.code != 1 || !strings.Contains(again.out, "\n1 failed in ") {
		h.t.Errorf("%s: exit code %d\n%s%s", command, again.code, again.out, again.err)
	}
	h.expectNothingLeft()
}

// before reports whether a scenario began before another had ended.
func before(a, b report.Scenario) bool { return a.Started.Before(b.Started.Add(b.Duration)) }

// TestRunSelected runs some scenarios in parallel, and some that may run programs.
func TestRunSelected(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const waits = "- settle: {quiet: 2s}\n"
	h.write("a.yaml", scenario("one", waits)+scenario("two", waits)+scenario("three", unready)+scenario("four", touches))
	r := h.run("run", "a.yaml", "a.yaml", "--filter", "story!=three", "--parallel", "4", "--allow-exec", "--report", "json=r.json")
	if r.code != 0 || !strings.Contains(r.out, "\n3 passed in ") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	all := h.readReport("r.json").Scenarios
	if len(all) != 3 || !before(all[0], all[1]) || !before(all[1], all[0]) {
		t.Errorf("they do not run at the same time: %+v", all)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "started")); err != nil {
		t.Errorf("the program was not run: %v", err)
	}
}
