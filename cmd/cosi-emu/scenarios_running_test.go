package main_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	// endless is a step that does not end during a test.
	endless = "- {settle: {quiet: 1h}, timeout: 2h}\n"
	// begins is such a step, which creates a file first.
	begins = "- {exec: {command: [sh, -c, 'touch started; exec sleep 3600']}, timeout: 2h}\n"
)

// waitForFile waits until a scenario has created a file.
func (h *home) waitForFile(name string) {
	h.t.Helper()
	harness.Until(h.t, "there is "+name, func(context.Context) (bool, error) {
		_, err := os.Stat(filepath.Join(h.dir, name))
		return err == nil, nil
	})
}

// TestRunInterrupted presses Ctrl-C in the middle of scenarios.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("s.yaml", scenario("running", claims+ready+begins)+scenario("waiting", claims))
	run := h.start("run", "s.yaml", "--allow-exec", "--parallel", "1", "--keep", "--report", "json=r.json")
	h.waitForFile("started")
	run.signal(os.Interrupt)
	if code := run.wait(); code != 3 {
		t.Errorf("exit code %d, want 3 for what could not be run to its end: %s", code, run.err.String())
	}
	want := map[string]outcome.Outcome{"running": outcome.Broken, "waiting": outcome.Broken}
	if got := outcomes(h.readReport("r.json")); len(got) != 2 || got["running"] != want["running"] || got["waiting"] != want["waiting"] {
		t.Errorf("the report has %v, want %v", got, want)
	}
	for _, want := range []string{"s.yaml:8:3: step 3, exec\n", "not started: the run was interrupted"} {
		if !strings.Contains(run.out.String(), want) {
			t.Errorf("it does not say %q, but:\n%s", want, run.out.String())
		}
	}
	h.expectNothingLeft()
}

// TestRunTimeout: a run ends at its time limit.
func TestRunTimeout(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("s.yaml", scenario("running", endless))
	r := h.run("run", "s.yaml", "--timeout", "300ms")
	if r.code != 3 || !strings.Contains(r.out, "not done after 300ms, the limit of --timeout") {
		t.Errorf("exit code %d, and it says:\n%s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}

// TestProgramsRunEmulatorDies kills a process that scenarios require.
func TestProgramsRunEmulatorDies(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	h.write("s.yaml", scenario("running", begins))
	run := h.start("run", "s.yaml", "--allow-exec", "--name", "dies")
	h.waitForFile("started")
	kill(t, component(t, h.info("status", "--name", "dies", "-o", "json"), "etcd").PID)
	if code := run.wait(); code != 3 || !strings.Contains(run.err.String(), "Error: etcd ended unexpectedly") {
		t.Errorf("exit code %d, and it says: %s", code, run.err.String())
	}
	h.expectNothingLeft()
}

// TestRunKeep inspects a failed scenario.
func TestRunKeep(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("s.yaml", scenario("good", claims+ready)+scenario("bad", claims+ready+unready))
	run := h.start("run", "s.yaml", "--keep")
	run.waitFor(" logs --name run-")
	if strings.Contains(run.out.String(), "-n good-") {
		t.Errorf("what has passed is kept:\n%s", run.out.String())
	}
	found := regexp.MustCompile(`kubectl --kubeconfig (\S+) -n (bad-\d+) get`).FindStringSubmatch(run.out.String())
	if found == nil {
		t.Fatalf("it does not say how to look at it:\n%s", run.out.String())
	}
	claim := &v1alpha2.BucketClaim{}
	key := client.ObjectKey{Namespace: found[2], Name: "photos"}
	if err := connect(t, found[1]).client.Get(t.Context(), key, claim); err != nil || claim.Status.BoundBucketName == "" {
		t.Errorf("the claim is not as it was: %v, %+v", err, claim.Status)
	}
	run.signal(os.Interrupt)
	if code := run.wait(); code != 1 {
		t.Errorf("exit code %d, want that of the failure: %s", code, run.err.String())
	}
	h.expectNothingLeft()
}

// TestRunWatch changes files while they are watched.
func TestRunWatch(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("one.yaml", scenario("one", "- use: ready.steps\n"))
	h.write("ready.steps", "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps: [{expect: {ConfigMap/none: absent}}]\n")
	h.write("two.yaml", scenario("two", "- mark: here\n"))
	run := h.start("run", ".", "--watch")
	rounds := func(want string, n int) {
		t.Helper()
		harness.Until(t, "it runs again", func(context.Context) (bool, error) {
			return strings.Count(run.out.String(), want) == n && strings.HasSuffix(run.err.String(), "Press Ctrl-C to stop.\n"), nil
		})
	}
	rounds("\n2 passed in ", 1)

	h.replace("two.yaml", scenario("two", "- mark: there\n")) // as editors do
	rounds("\n1 passed in ", 1)
	h.write("ready.steps", "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps: [{expect: {ConfigMap/other: absent}}]\n")
	rounds("\n1 passed in ", 2)
	h.write("two.yaml", scenario("two", "- marke: there\n"))
	harness.Until(t, "it says what is wrong", func(context.Context) (bool, error) {
		return strings.Contains(run.err.String(), "two.yaml:6:3: unknown field"), nil
	})
	h.replace("two.yaml", scenario("two", "- {expect: {ConfigMap/none: present}, timeout: 100ms}\n"))
	rounds("\n1 failed in ", 1)
	if end := lastLines(run.out.String(), 3); !strings.Contains(end, "two.yaml:6:3: ") {
		t.Errorf("the last lines, which a small terminal shows, have no reason:\n%s", end)
	}
	if passed := strings.Count(run.out.String(), " one "); passed != 2 {
		t.Errorf("the other scenario has run %d times, want 2:\n%s", passed, run.out.String())
	}
	run.signal(os.Interrupt)
	if code := run.wait(); code != 1 {
		t.Errorf("exit code %d, want that of the last round: %s", code, run.err.String())
	}
	h.expectNothingLeft()
}

// lastLines returns the last n lines of a text that ends with a line break.
func lastLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-1-n):], "")
}

// replace replaces a file by renaming another one.
func (h *home) replace(name, text string) {
	h.t.Helper()
	if err := os.Rename(h.write(name+".new", text), filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

// TestRunGolden writes a golden file, and compares with it.
func TestRunGolden(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	golden := "- golden: {file: claim.golden, objects: BucketClaim/photos, exclude: [status.conditions, spec.absent]}\n"
	h.write("s.yaml", scenario("golden", claims+ready+"- settle:\n"+golden))
	if r := h.run("run", "s.yaml", "--update"); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.out)
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "claim.golden"))
	if err != nil || !strings.Contains(string(text), "readyToUse: true") {
		t.Fatalf("the file has %s: %v", text, err)
	}
	if strings.Contains(string(text), "managedFields") || strings.Contains(string(text), "conditions") {
		t.Errorf("the file has fields that are left out:\n%s", text)
	}
	h.write("claim.golden", strings.Replace(string(text), "readyToUse: true", "readyToUse: false", 1))
	r := h.run("run", "s.yaml")
	for _, want := range []string{"-  readyToUse: false\n", "+  readyToUse: true\n", "--update"} {
		if r.code != 1 || !strings.Contains(r.out, want) {
			t.Errorf("exit code %d, and it does not say %q, but:\n%s", r.code, want, r.out)
		}
	}
}
