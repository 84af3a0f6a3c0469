package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gone deletes the objects of claims.
const gone = `- expect: {BucketClaim/photos: present}
  as: claim
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent, "Bucket/${claim.status.boundBucketName}": absent}
`

// TestExplore explores a few faults of one scenario, one with the same first steps, one that fails,
// and one that cannot be explored. --state resumes the exploration.
func TestExplore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("one.yaml", scenario("one", claims+ready+gone))
	narrow := []string{"--effects", "fail,crash-after", "--at", "sidecar rpc DriverCreate*", "--parallel", "1"}
	const failed = ", FailedCreateBucket, " // a reason that only a fault brings about
	again := append([]string{"explore", "one.yaml", "--state", "one.state"}, narrow...)
	if r := h.run(again...); r.code != 0 || !strings.Contains(r.out, "2/2 effects tried") || !strings.Contains(r.out, failed) {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	r := h.run(again...)
	if r.code != 0 || !strings.Contains(r.out, "\n0 runs in ") || !strings.Contains(r.out, failed) {
		t.Errorf("it does again what is done, exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.exploreAll(narrow)
	h.expectNothingLeft()
}

// exploreAll explores several scenarios.
func (h *home) exploreAll(narrow []string) {
	t := h.t
	if err := os.Mkdir(filepath.Join(h.dir, "all"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.write("all/one.yaml", scenario("one", claims+ready+gone))
	h.write("all/two.yaml", scenario("two", claims+ready+gone))
	h.write("all/wrong.yaml", scenario("wrong", claims+"- {expect: {BucketClaim/other: present}, timeout: 30ms}\n"))
	h.write("all/unfit.yaml", scenario("unfit", claims+"- delete: Namespace/${ns}\n"))
	r := h.run(append([]string{"explore", "all", "--sample", "1", "--shrink=false", "--report", "html=all.html"}, narrow...)...)
	if r.code != 1 {
		t.Errorf("exit code %d, want 1\n%s%s", r.code, r.out, r.err)
	}
	for _, part := range []string{
		"reasons of conditions and Events: Bound, ", "for other scenarios: APIError, ",
		"3 scenarios explored, 1 not:", "runs/s; 1 finding\n", "not explored: all/unfit.yaml: ",
		"1. steps: all/wrong.yaml:", "finding 1 of wrong: steps: all/wrong.yaml:", "fault: none: the run without faults shows it",
	} {
		if !strings.Contains(r.out, part) {
			t.Errorf("missing %q:\n%s%s", part, r.out, r.err)
		}
	}
	page, err := os.ReadFile(filepath.Join(h.dir, "all.html"))
	if err != nil || !strings.Contains(string(page), "wrong, finding 1") {
		t.Errorf("the page of all findings lacks that of the scenario wrong: %v", err)
	}
}

// TestExploreSuite: an installed program explores a scenario of its own, and needs no file.
func TestExploreSuite(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	out := h.must("explore", "--suite", "--scenario", "claim-first", "--sample", "2", "--parallel", "1", "--out", "found/",
		"--report", "html=found/all.html")
	for _, want := range []string{"claim-first: ", ", 2/", "\n2 runs in ", " in 1 sandbox on ", "\nno findings\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if page, err := os.ReadFile(filepath.Join(h.dir, "found", "all.html")); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("the page of all findings: %v", err)
	}
	h.expectNothingLeft()
}

// TestExploreRejects: an invalid command line is reported before anything starts.
func TestExploreRejects(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("good.yaml", scenario("good", claims))
	h.write("bad.yaml", scenario("bad", "- expekt: {}\n"))
	h.write("old.yaml", strings.Replace(scenario("old", claims), "\nsteps:", "\nsetup: {api: v1alpha1}\nsteps:", 1))
	h.write("two.yaml", scenario("one", claims)+scenario("two", claims))
	tests := map[string]struct {
		args []string
		says string
	}{
		"NoFile":       {[]string{"missing.yaml"}, "missing.yaml"},
		"NoScenario":   {[]string{"bad.yaml"}, "bad.yaml:6:3"},
		"NoneOfMany":   {[]string{"good.yaml", "bad.yaml"}, "bad.yaml:6:3"},
		"TwoInOne":     {[]string{"two.yaml"}, "two.yaml has 2 scenarios"},
		"NoEffect":     {[]string{"good.yaml", "--effects", "earthquake"}, `unknown effect "earthquake"`},
		"NoPrune":      {[]string{"good.yaml", "--prune", "all"}, `prune is "all" and must be one of [state object step]`},
		"Negative":     {[]string{"good.yaml", "--random", "-1"}, "must not be negative"},
		"Dialect":      {[]string{"good.yaml", "--dialect", "m"}, "the dialects are v1alpha1"},
		"DialectOfOld": {[]string{"old.yaml", "--dialect", "one-mode"}, "old.yaml is for the kinds of v1alpha1, for which a driver cannot speak"},
		"NoReport":     {[]string{"good.yaml", "--report", "xml=a"}, "must be html=FILE, json=FILE or md=FILE"},
		"NoArguments":  {nil, "requires a file or a directory with scenarios"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := h.run(append([]string{"explore"}, tc.args...)...)
			if r.code != 2 || !strings.Contains(r.err, tc.says) {
				t.Errorf("exit code %d, want 2 and %q:\n%s%s", r.code, tc.says, r.out, r.err)
			}
		})
	}
}

// TestExploreOwnDriver explores with a driver behind a socket.
func TestExploreOwnDriver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const bucketGone = `- expect: {"Bucket/${claim.status.boundBucketName}": absent}` + "\n"
	h.write("one.yaml", scenario("one", claims+ready+"  as: claim\n"+gone+bucketGone))
	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	driver := h.start("driver", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	h.waitForFile("d.sock")
	r := h.run("explore", "one.yaml", "--driver", socket, "--driver-timeout", "5s",
		"--effects", "lose-reply,duplicate", "--at", "sidecar rpc Driver*te*", "--parallel", "1")
	if r.code != 0 || !strings.Contains(r.out, "6/6 effects tried") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	driver.signal(os.Interrupt)
	if code := driver.wait(); code != 0 {
		t.Errorf("the driver ends with %d: %s", code, driver.err.String())
	}
	h.expectNothingLeft()
}
