package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// fakeDriverCommand is the command line of a fake driver whose data survive, and whose store fails
// as the files of the directory outage specify.
func (h *home) fakeDriverCommand(flags ...string) string {
	return strings.Join(append([]string{
		h.program(), "driver", "--endpoint=$(COSI_ENDPOINT)", "--data-dir=$(STATE_DIR)", "--s3-bind-address=" + harness.FreeAddress(h.t),
		"--outage-dir=" + filepath.Join(h.dir, "outage"),
	}, flags...), " ")
}

// backendCommand is the example of a backend command, for the fake driver of the home.
func (h *home) backendCommand() string {
	h.t.Helper()
	script, err := filepath.Abs("../../examples/conformance-backend.sh")
	if err != nil {
		h.t.Fatal(err)
	}
	return script + " " + filepath.Join(h.dir, "outage")
}

// conformance runs the command, and returns its report.
func (h *home) conformance(wantCode int, args ...string) conformance.Report {
	h.t.Helper()
	r := h.run(append([]string{"conformance", "-o", "json"}, args...)...)
	if r.code != wantCode {
		h.t.Fatalf("exit code %d, want %d\n%s%s", r.code, wantCode, r.out, r.err)
	}
	var report conformance.Report
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		h.t.Fatalf("%v in\n%s", err, r.out)
	}
	return report
}

func verdicts(report conformance.Report) map[string]string {
	all := map[string]string{}
	for _, v := range report.Verdicts {
		all[v.Profile] = v.Verdict
	}
	return all
}

func failed(report conformance.Report) []string {
	var ids []string
	for _, result := range report.Results {
		if result.State == conformance.Fail {
			ids = append(ids, result.Check.ID)
		}
	}
	return ids
}

// TestConformanceCommand starts, restarts and kills the fake driver, in both versions of COSI, and
// makes its store fail and lose buckets. Everything is cleaned up.
func TestConformanceCommand(t *testing.T) {
	t.Parallel()
	for _, dialect := range []dialects.Dialect{dialects.V1alpha1, dialects.KEP} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			report := h.conformance(0, "--driver-cmd", h.fakeDriverCommand("--dialect="+string(dialect)), "--backend-cmd", h.backendCommand(),
				"--profile", "S3,Crash-Safety", "--report", filepath.Join(h.dir, "results"))
			if report.Dialect != dialect {
				t.Errorf("dialect %s, want %s", report.Dialect, dialect)
			}
			want := map[string]string{"S3": conformance.Conformant, "Crash-Safety": conformance.Conformant}
			if diff := cmp.Diff(want, verdicts(report)); diff != "" {
				t.Errorf("verdicts: -want, +got:\n%s", diff)
			}
			for _, result := range report.Results {
				if result.Check.Profile == "Crash-Safety" && result.State != conformance.Pass {
					t.Error(result.Explain())
				}
			}
			for _, file := range []string{conformance.FileReport, conformance.FileHTML, conformance.FileJUnit, conformance.FileBadge} {
				if info, err := os.Stat(filepath.Join(h.dir, "results", file)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v, %v", file, info, err)
				}
			}
			h.expectNothingLeft()
		})
	}
}

// TestConformanceFailures prints each failed check in a line, and where the calls are.
func TestConformanceFailures(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const only = "GR-29,GR-38"
	for _, tc := range []struct{ args, says []string }{
		{says: []string{"add --report DIRECTORY"}},
		{args: []string{"--report", "results"}, says: []string{filepath.Join("results", conformance.FileHTML)}},
	} {
		r := h.run(append([]string{"conformance", "--driver-cmd", h.fakeDriverCommand("--max-accounts=1"), "--only", only}, tc.args...)...)
		if r.code != 1 {
			t.Errorf("exit code %d, want 1", r.code)
		}
		for id := range strings.SplitSeq(only, ",") {
			tc.says = append(tc.says, id+" DriverGrantBucketAccess ")
		}
		for _, text := range tc.says {
			if !strings.Contains(r.out+r.err, text) {
				t.Errorf("%v: %q is missing in\n%s%s", tc.args, text, r.out, r.err)
			}
		}
		const most = 20
		if lines := strings.Count(r.out+r.err, "\n"); lines > most || strings.Contains(r.err, "rerun: ") != (tc.args == nil) {
			t.Errorf("%v: %d lines, want at most %d, and commands only without a report:\n%s%s", tc.args, lines, most, r.out, r.err)
		}
	}
	h.expectNothingLeft()
}

// TestConformanceScenarioAgain: the command that runs a failed scenario of the profile End-to-End starts the driver, too.
func TestConformanceScenarioAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("odd.yaml", "bucket: {quotaBytes: lots}\n")
	report := h.conformance(1, "--driver-cmd", h.fakeDriverCommand(), "--params", "odd.yaml", "--only", "EE-01")
	if len(report.Results) != 1 || report.Results[0].Failure == nil {
		t.Fatalf("the results: %+v, want one that has failed", report.Results)
	}
	_, command, _ := strings.Cut(report.Results[0].Failure.Got, "\nmore: ")
	again := h.paste(command)
	if again.code != 1 || !strings.Contains(again.out, "quotaBytes") || !strings.Contains(again.out, "\n1 failed in ") {
		t.Errorf("%s: exit code %d\n%s%s", command, again.code, again.out, again.err)
	}
	h.expectNothingLeft()
}

// TestConformanceDialect reports the dialect of a driver first, judges the driver, and lists the
// differences from the KEP.
func TestConformanceDialect(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode}
	r := h.run("conformance", "--endpoint", driver.Listen(t), "--only", "GB-01,CB-04,GR-06,RV-02,DB-03", "--seed", "test")
	if r.code != 0 {
		t.Errorf("exit code %d", r.code)
	}
	for _, want := range []string{
		"driver dialect.example.com, COSI v1alpha2, dialect one-mode, seed test",
		"Core             partial           4 pass  1 not supported\n",
		"\nDifferences from the KEP, which cosi-emu's bridge translates (docs/bridge.md):\n",
		"\n  AccessMode: READ_WRITE 1, READ_ONLY 2, WRITE_ONLY 3; in the KEP: ANY 1, READ_WRITE 2, READ_ONLY 3, WRITE_ONLY 4\n",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the output does not have %q:\n%s", want, r.out)
		}
	}
	if want := "the driver speaks COSI v1alpha2, dialect one-mode\n"; !strings.Contains(r.err, want) {
		t.Errorf("standard error does not have %q:\n%s", want, r.err)
	}
	if left := driver.Left(); left != nil {
		t.Errorf("left at the driver: %v", left)
	}
}

// TestConformanceOldDriver reports the failures of a driver with typical defects, and prints no key
// that the driver prints.
func TestConformanceOldDriver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	command := h.oldDriverCommand("-print-keys")
	only := "CS-02,CS-05,CS-10,CS-14,LG-01,LG-02"
	report := h.conformance(1, "--driver-cmd", command, "--driver-env", "BACKEND_PASSWORD=correct-horse", "--driver-env",
		"BACKEND=correct-horse", "--only", only)
	if diff := cmp.Diff([]string{"CS-02", "CS-05", "LG-01", "LG-02"}, failed(report)); diff != "" {
		t.Errorf("failed checks: -want, +got:\n%s", diff)
	}
	for _, result := range report.Results {
		if text := result.Explain(); strings.Contains(text, "key-of-ba-") || strings.Contains(text, "correct-horse") {
			t.Errorf("a secret is in %s", text)
		}
		if f := result.Failure; f != nil && (!strings.Contains(f.Rerun, "'--driver-cmd="+command+"'") ||
			!strings.Contains(f.Rerun, `--driver-env=BACKEND_PASSWORD="$BACKEND_PASSWORD" --driver-env=BACKEND="$BACKEND"`) ||
			!strings.Contains(f.Rerun, "--only "+result.Check.ID+" --seed ")) {
			t.Errorf("%s: the command line for another run is %s", result.Check.ID, f.Rerun)
		}
	}
	h.expectNothingLeft()
}

// TestConformanceCompiledIn tests a driver with a compiled-in socket path.
func TestConformanceCompiledIn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	socket := filepath.Join(h.dir, "my.sock")
	report := h.conformance(1, "--driver-cmd", h.oldDriverCommand("-endpoint", socket), "--endpoint", "unix://"+socket,
		"--connect-timeout", "5s", "--only", "ID-01,CS-01,CS-10")
	if diff := cmp.Diff([]string{"CS-01"}, failed(report)); diff != "" {
		t.Errorf("failed checks: -want, +got:\n%s", diff)
	}
	h.expectNothingLeft()
}

// TestConformanceRestartCommand tests a running driver that a command restarts.
func TestConformanceRestartCommand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := filepath.Join(h.dir, "driver")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	driver := fmt.Sprintf("%s driver --endpoint=unix://%s/d.sock --data-dir=%s/data --s3-bind-address=%s",
		h.program(), dir, dir, harness.FreeAddress(t))
	h.write("restart", fmt.Sprintf(`#!/bin/sh
set -eu
if [ -e %[1]s/pid ]; then
	kill "$(cat %[1]s/pid)"
	while kill -0 "$(cat %[1]s/pid)" 2>/dev/null; do sleep 0.05; done
fi
%[2]s >%[1]s/log 2>&1 &
echo $! >%[1]s/pid
until [ -e %[1]s/d.sock ]; do sleep 0.05; done
`, dir, driver))
	if out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(h.dir, "restart")).CombinedOutput(); err != nil {
		t.Fatalf("start the driver: %v\n%s", err, out)
	}
	report := h.conformance(0, "--endpoint", "unix://"+dir+"/d.sock", "--restart-cmd", "sh "+filepath.Join(h.dir, "restart"),
		"--only", "LF-10,LF-11,LF-12,LF-13,CS-10")
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	kill(t, number)
	for _, result := range report.Results {
		want := conformance.Pass
		if result.Check.ID == "CS-10" {
			want = conformance.NotSupported
		}
		if result.State != want {
			t.Errorf("want %s: %s", want, result.Explain())
		}
	}
	harness.Eventually(t, "the driver has ended", func(context.Context) error {
		if left := harness.Processes(t, h.dir); len(left) > 0 {
			return fmt.Errorf("left: %q", left)
		}
		return nil
	})
}

func TestConformanceInterrupted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.start("conformance", "--driver-cmd", h.fakeDriverCommand(), "--profile", "Crash-Safety",
		"--report", filepath.Join(h.dir, "results"))
	driver := h.program() + " driver "
	harness.Eventually(t, "the driver runs", func(context.Context) error {
		if len(h.drivers(driver)) == 0 {
			return fmt.Errorf("no process of %s", driver)
		}
		return nil
	})
	p.signal(syscall.SIGINT)
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1\n%s", code, p.err.String())
	}
	report, err := os.ReadFile(filepath.Join(h.dir, "results", conformance.FileReport))
	if err != nil || strings.Contains(string(report), "state: fail") {
		t.Errorf("the report: %v\n%s", err, report)
	}
	h.expectNothingLeft()
}

func TestConformanceKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.start("conformance", "--driver-cmd", h.fakeDriverCommand(), "--profile", "Crash-Safety")
	driver := h.program() + " driver "
	harness.Eventually(t, "the driver runs", func(context.Context) error {
		if len(h.drivers(driver)) == 0 {
			return fmt.Errorf("no process of %s", driver)
		}
		return nil
	})
	p.signal(syscall.SIGKILL)
	harness.Eventually(t, "the driver has ended", func(context.Context) error {
		if left := h.drivers(driver); len(left) > 0 {
			return fmt.Errorf("left: %q", left)
		}
		return nil
	})
	if err := os.RemoveAll(filepath.Join(h.dir, "tmp")); err != nil { // no process can delete its files
		t.Fatal(err)
	}
}

// drivers returns the processes of a command line, without the suite that has it as a flag.
func (h *home) drivers(command string) []string {
	return slices.DeleteFunc(harness.Processes(h.t, command), func(process string) bool { return strings.Contains(process, "--driver-cmd") })
}

// TestConformanceControlPlane gives a driver access to the API server: it lists Buckets before it
// serves.
func TestConformanceControlPlane(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if err := os.Mkdir(filepath.Join(h.dir, "kubernetes"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The driver stores its kubeconfig, and fails without the namespace.
	h.write("driver.sh", `set -eu
[ "$POD_NAMESPACE" = cosi-system ]
[ -z "${KUBERNETES_SERVICE_HOST:-}" ] # the files of a Pod are not those of this control plane
cp "$KUBECONFIG" `+h.dir+`/used
exec "$@"
`)
	report := h.conformance(0, "--driver-cmd", "sh "+filepath.Join(h.dir, "driver.sh")+" "+h.fakeDriverCommand(), "--with-control-plane",
		"--kubernetes-dir", filepath.Join(h.dir, "kubernetes"), "--only", "ID-01,CB-01,CS-10")
	if got := failed(report); got != nil || report.Problem != "" {
		t.Errorf("failed: %v, %s", got, report.Problem)
	}
	used, err := os.ReadFile(filepath.Join(h.dir, "used"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(used), "server: https://127.0.0.1:") || !strings.Contains(string(used), "token:") {
		t.Errorf("the driver's kubeconfig: %s", used)
	}
	for _, file := range []string{"token", "ca.crt", "namespace"} {
		if _, err := os.Stat(filepath.Join(h.dir, "kubernetes", "driver", "serviceaccount", file)); err != nil {
			t.Error(err)
		}
	}
	h.expectNothingLeft()
}

// TestBadConformanceFlags: wrong flags are rejected before anything starts.
func TestBadConformanceFlags(t *testing.T) {
	t.Parallel()
	test := func(args ...string) func(*home) []string { return command(append([]string{"conformance"}, args...)...) }
	const endpoint = "unix:///tmp/none.sock"
	expectRejected(t, map[string]invalidInput{
		"Nothing": {reason: "no driver", args: test(), code: 2, says: []string{"--endpoint or --driver-cmd is required"}},
		"NotFound": {
			reason: "there is no such program",
			args:   test("--driver-cmd", "./none"), code: 2, says: []string{`--driver-cmd "./none"`, "give its path"},
		},
		"RestartNotFound": {
			reason: "there is no such program",
			args:   test("--endpoint", endpoint, "--restart-cmd", "./none"), code: 2, says: []string{`--restart-cmd "./none"`, "give its path"},
		},
		"BackendNotFound": {
			reason: "there is no such program",
			args:   test("--endpoint", endpoint, "--backend-cmd", "./none x"), code: 2, says: []string{`--backend-cmd "./none x"`, "give its path"},
		},
		"Quotes": {
			reason: "a quote that does not end",
			args:   test("--driver-cmd", "sh -c 'x"), code: 2, says: []string{"--driver-cmd", "EOF found"},
		},
		"Both": {
			reason: "two ways of a restart",
			args:   test("--driver-cmd", "true", "--restart-cmd", "true"), code: 2,
			says: []string{"--driver-cmd and --restart-cmd exclude each other"},
		},
		"Environment": {
			reason: "a variable without a name; it may be a secret",
			args:   test("--driver-cmd", "true", "--driver-env", "=x"), code: 2, says: []string{"--driver-env", "KEY=VALUE"},
		},
		"EnvironmentAlone": {
			reason: "variables of no program",
			args:   test("--endpoint", endpoint, "--driver-env", "A=x"), code: 2, says: []string{"--driver-env requires --driver-cmd"},
		},
		"ControlPlaneAlone": {
			reason: "a control plane for no one",
			args:   test("--endpoint", endpoint, "--with-control-plane"), code: 2, says: []string{"--with-control-plane requires --driver-cmd"},
		},
		"DirectoryAlone": {
			reason: "a directory for nothing",
			args:   test("--driver-cmd", "true", "--kubernetes-dir", "/tmp"), code: 2,
			says: []string{"--kubernetes-dir requires --with-control-plane"},
		},
		"ManifestsAlone": {
			reason: "objects for no API server",
			args:   test("--driver-cmd", "true", "--init", "/tmp"), code: 2, says: []string{"--init requires --with-control-plane"},
		},
		"NoManifests": {
			reason: "a file that does not exist",
			args:   test("--driver-cmd", "true", "--with-control-plane", "--init", "/none"), code: 2, says: []string{"--init: ", "/none"},
		},
		"NoDirectory": {
			reason: "a directory that does not exist",
			args:   test("--driver-cmd", "true", "--with-control-plane", "--kubernetes-dir", "/none"), code: 2,
			says: []string{"--kubernetes-dir: the directory /none does not exist"},
		},
		"Endpoint": {
			reason: "a driver is started at a UNIX socket",
			args:   test("--driver-cmd", "true", "--endpoint", "localhost:9000"), code: 2, says: []string{`"localhost:9000"`, "unix:///"},
		},
		"Profile": {
			reason: "a profile that does not exist",
			args:   test("--endpoint", endpoint, "--profile", "Cor"), code: 2, says: []string{`profile "Cor" is not known`, "Core"},
		},
		"Dialect": {
			reason: "a dialect that does not exist",
			args:   test("--endpoint", endpoint, "--dialect", "m"), code: 2, says: []string{`dialect "m": the dialects are v1alpha1, no-modes`},
		},
		"OtherVersion": {
			reason: "a dialect of another version",
			args:   test("--endpoint", endpoint, "--api", "v1alpha1", "--dialect", "kep"), code: 2,
			says: []string{"dialect kep is of v1alpha2, and not of v1alpha1"},
		},
		"Check": {
			reason: "a check that does not exist",
			args:   test("--endpoint", endpoint, "--only", "XX-01"), code: 2, says: []string{`check "XX-01" is not known`, "conformance list"},
		},
		"Parameters": {
			reason: "a field that does not exist",
			args: func(h *home) []string {
				h.write("params.yaml", "buckets: {}\n")
				return test("--endpoint", endpoint, "--params", "params.yaml")(h)
			},
			code: 2, says: []string{"--params params.yaml", `"buckets"`},
		},
		"JUnit": {
			reason: "a directory that does not exist",
			args:   test("--endpoint", endpoint, "--junit", "none/junit.xml"), code: 2, says: []string{"--junit: the directory none does not exist"},
		},
		"Report": {
			reason: "a file, where reports need a directory",
			args: func(h *home) []string {
				h.write("results", "x")
				return test("--endpoint", endpoint, "--report", "results")(h)
			},
			code: 2, says: []string{"--report results: it is a file"},
		},
		"Timeout": {
			reason: "no time at all",
			args:   test("--endpoint", endpoint, "--timeout", "0s"), code: 2, says: []string{"--timeout 0s must be positive"},
		},
	})
}

// TestConformanceBadDriver: for a driver that exits, or never listens, a report explains the cause.
func TestConformanceBadDriver(t *testing.T) {
	t.Parallel()
	silent := []string{"--connect-timeout", "500ms"}
	for name, tc := range map[string]struct {
		command string
		args    []string
		says    []string
	}{
		"Exits":  {`sh -c 'echo no backend; printf "at all" >&2; exit 3'`, nil, []string{"exit status 3", "no backend", "at all"}},
		"Silent": {"sleep 600", silent, []string{"the driver runs, but it does not listen at ", "after 500ms"}},
		"Floods": {"yes", silent, []string{"the driver runs, but it does not listen at "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			report := h.conformance(1, append(tc.args, "--driver-cmd", tc.command, "--only", "ID-01,CB-01")...)
			for _, want := range tc.says {
				if !strings.Contains(report.Problem, want) {
					t.Errorf("the problem is %q, and does not have %q", report.Problem, want)
				}
			}
			for _, result := range report.Results {
				if result.State != conformance.NotReached {
					t.Errorf("%s: %s", result.Check.ID, result.State)
				}
			}
			h.expectNothingLeft()
		})
	}
}

// TestConformanceWorkflow runs the steps of the workflow that driver authors copy, with this
// program in place of the installed one.
func TestConformanceWorkflow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const module = driverAuthor
	text, err := os.ReadFile(filepath.Join(module, ".github", "workflows", "conformance.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(h.dir, "summary.md")
	for _, step := range workflow.Jobs["conformance"].Steps {
		if step.Run == "" || strings.HasPrefix(step.Run, "go install ") || strings.HasPrefix(step.Run, "go test ") {
			continue // test-modules runs the tests
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", step.Run)
		cmd.Dir = module
		cmd.Env = append(slices.Clone(h.env), "PATH="+h.dir+":"+os.Getenv("PATH"), "RUNNER_TEMP="+h.dir, "GITHUB_STEP_SUMMARY="+summary)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.Name, err, out)
		}
	}
	for file, want := range map[string]string{
		summary: "| Core | not proved |", filepath.Join(h.dir, "conformance", conformance.FileBadge): `"Crash-Safety"`,
	} {
		if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s does not have %q: %v\n%s", file, want, err, got)
		}
	}
	h.expectNothingLeft()
}
