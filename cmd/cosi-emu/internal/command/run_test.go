package command

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// runCommandLine runs the program within the test, for a user without emulators.
func runCommandLine(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var o, e bytes.Buffer
	code = Run(t.Context(), cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e}, args)
	return code, o.String(), e.String()
}

func TestRun(t *testing.T) {
	params := filepath.Join(t.TempDir(), "params.yaml")
	if err := os.WriteFile(params, []byte("bucket: {pool: fast}\naccess: {pool: slow}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for name, tc := range map[string]struct {
		reason string
		args   []string
		code   int
		out    string // prefix of standard output
		err    string // prefix of standard error
	}{
		"Nothing":       {reason: "the help is what a new user needs", out: "cosi-emu runs the whole"},
		"Help":          {reason: "help is a result", args: []string{"up", "--help"}, out: "Start an emulator"},
		"Unknown":       {reason: "usage", args: []string{"upp"}, code: 2, err: `Error: unknown command "upp"; do you mean up?`},
		"Flag":          {reason: "usage", args: []string{"down", "--now"}, code: 2, err: "Error: unknown flag: --now"},
		"Argument":      {reason: "usage", args: []string{"version", "1"}, code: 2, err: "Error: 'cosi-emu version' takes no arguments"},
		"Seam":          {reason: "usage", args: []string{"logs", "--seam", "wire"}, code: 2, err: `Error: seam "wire" is not known`},
		"NotRunning":    {reason: "a failure", args: []string{"env"}, code: 1, err: `Error: emulator "default": it is not running`},
		"Down":          {reason: "idempotent", args: []string{"down"}, out: `emulator "default" is not running`},
		"DownAll":       {reason: "there may be none", args: []string{"down", "--all"}},
		"Example":       {reason: "the file is in the program", args: []string{"example"}, out: string(examples.Quickstart)},
		"Classes":       {reason: "the file is in the program", args: []string{"example", "--classes"}, out: string(examples.Classes)},
		"ExampleStatic": {reason: "the file is in the program", args: []string{"example", "--static"}, out: string(examples.Static)},
		"StaticOfDriver": {
			reason: "usage", args: []string{"example", "--static", "--driver-name", "a.example"},
			code: 2, err: "Error: --static and --driver-name exclude each other",
		},
		"ClassesOfDriver": {
			reason: "the file is the one of conformance", args: []string{"example", "--classes", "--params", params, "--driver-name", "a.example"},
			out: "apiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketClass\nmetadata:\n  name: standard\nspec:\n" +
				"  deletionPolicy: Delete\n  driverName: a.example\n  parameters:\n    pool: fast\n---\n",
		},
		"ParamsWithoutClasses": {
			reason: "usage", args: []string{"example", "--params", params}, code: 2, err: "Error: --params requires --classes",
		},
		"SetupFails": {
			reason: "a failure", args: []string{"setup", "--control-plane-dir", missing},
			code: 1, err: "control plane programs: failed",
		},
		"NoCluster": {
			reason: "a failure", args: []string{"controller", "--kubeconfig", missing},
			code: 1, err: "Error: find the API server",
		},
		"StaticDriver": {
			reason: "usage", args: []string{"static-driver", "--endpoint", "unix:///run/static"},
			code: 2, err: `Error: driver endpoint "unix:///run/static" is not valid: COSI requires that it ends in .sock`,
		},
		"Driver": {
			reason: "usage", args: []string{"driver", "--s3-bind-address", ":9000"},
			code: 2, err: "Error: invalid options: S3 bind address \":9000\" is all interfaces",
		},
		"DriverName": {
			reason: "usage", args: []string{"driver", "--driver-name", "My Driver"},
			code: 2, err: "Error: invalid options: driver name \"My Driver\"",
		},
		"Lease": {
			reason: "usage", args: []string{"controller", "--leader-election-lease-duration", "5s"},
			code: 2, err: "Error: the lease duration, 5s, must be longer than the renew deadline, ",
		},
		"Workers": {
			reason: "usage", args: []string{"sidecar", "--workers", "-1"}, code: 2, err: "Error: the number of workers, -1,",
		},
		"Limit": {
			reason: "usage", args: []string{"controller", "--kube-api-qps", "0"}, code: 2, err: "Error: --kube-api-qps 0",
		},
		"Address": {
			reason: "usage", args: []string{"sidecar", "--metrics-bind-address", "8080"},
			code: 2, err: `Error: the metrics bind address "8080"`,
		},
		"Verbosity": {
			reason: "usage", args: []string{"driver", "-v", "-1"}, code: 2, err: "Error: --verbosity -1",
		},
		"Levels": {
			reason: "usage", args: []string{"controller", "-v", "2", "--zap-log-level", "debug"},
			code: 2, err: "Error: --verbosity 2 and --zap-log-level debug are different log levels",
		},
		"Certificate": {
			reason: "usage", args: []string{"controller", "--metrics-bind-address", ":8443", "--metrics-cert-path", missing},
			code: 2, err: "Error: the certificate of the metrics endpoint, " + missing,
		},
		"Places": {
			reason: "usage", args: []string{"sidecar", "--state-dir", missing, "--namespace", "default"},
			code: 2, err: "Error: --state-dir and --namespace exclude each other",
		},
		"Dialect": {
			reason: "usage", args: []string{"sidecar", "--dialect", "m"}, code: 2,
			err: `Error: invalid argument "m" for "--dialect" flag: "m": the dialects are v1alpha1, `,
		},
		"NoBridge": {
			reason: "usage", args: []string{"sidecar", "--api", "v1alpha1", "--dialect", "v1alpha1"},
			code: 2, err: "Error: --dialect: a sidecar with --api v1alpha1 calls drivers of v1alpha1 itself",
		},
		"NoExisting": {
			reason: "usage", args: []string{"up", "--install"}, code: 2, err: "Error: --kubeconfig, --context and --install require",
		},
		"ExistingPort": {
			reason: "usage", args: []string{"up", "-d", "--existing-cluster", "--api-server-port", "1"},
			code: 2, err: "Error: --existing-cluster and --api-server-port exclude each other",
		},
		"ExistingPrograms": {
			reason: "usage", args: []string{"exec", "--existing-cluster", "--control-plane-dir", "/x", "--", "true"},
			code: 2, err: "Error: --existing-cluster and --control-plane-dir exclude each other",
		},
		"ExistingData": {
			reason: "usage", args: []string{"up", "--existing-cluster", "--data-dir", "x"},
			code: 2, err: "Error: --existing-cluster and --data-dir exclude each other",
		},
		"NoKubeconfig": {
			reason: "usage", args: []string{"up", "--existing-cluster", "--kubeconfig", missing},
			code: 2, err: "Error: the kubeconfig cannot be used: ",
		},
		"VersionFlag": {reason: "as CSI's programs have it", args: []string{"--version"}, out: "cosi-emu "},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := runCommandLine(t, tc.args...)
			if code != tc.code {
				t.Errorf("%s: exit code %d, want %d", tc.reason, code, tc.code)
			}
			if !strings.HasPrefix(out, tc.out) || out != "" && tc.out == "" {
				t.Errorf("%s: standard output:\n%s", tc.reason, out)
			}
			if !strings.HasPrefix(errs, tc.err) || errs != "" && tc.err == "" {
				t.Errorf("%s: standard error:\n%s", tc.reason, errs)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	_, text, _ := runCommandLine(t, "version")
	if !strings.Contains(text, binaries.KubernetesVersion) || !strings.Contains(text, runtime.Version()) {
		t.Errorf("version says\n%s", text)
	}
	_, out, _ := runCommandLine(t, "version", "-o", "json")
	var got cli.Versions
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	got.Version, got.Revision = "", ""
	want := cli.Versions{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: binaries.KubernetesVersion, COSI: "objectstorage.k8s.io/v1alpha2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		t.Run(shell, func(t *testing.T) {
			code, script, errs := runCommandLine(t, "completion", shell)
			if code != 0 || !strings.Contains(script, "cosi-emu") {
				t.Fatalf("exit code %d, %s", code, errs)
			}
			program, err := exec.LookPath(shell)
			if err != nil || shell == "powershell" {
				return
			}
			check := exec.CommandContext(t.Context(), program, "-n")
			check.Stdin = strings.NewReader(script)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s does not understand the script: %v\n%s", shell, err, out)
			}
		})
	}
}

// TestRunOtherVersion: a command that would run no scenario is rejected before anything starts.
func TestRunOtherVersion(t *testing.T) {
	dir := t.TempDir()
	write := func(name, setup string) string {
		file := filepath.Join(dir, name+".yaml")
		text := "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: " + name + "\n" + setup + "steps:\n- mark: here\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	old, current := write("old", "setup: {api: v1alpha1}\n"), write("current", "")
	for name, tc := range map[string]struct {
		reason string
		args   []string
		err    string
	}{
		"Dialect": {
			"A driver of another dialect is for v1alpha2.", []string{"run", old, "--dialect", "one-mode"},
			"scenario old is for the kinds of v1alpha1, and the emulator serves v1alpha2; add --api v1alpha1",
		},
		"API": {
			"The flag selects nothing.", []string{"run", current, "--api", "v1alpha1"}, "is for the kinds of v1alpha2; leave --api v1alpha1 out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errs := runCommandLine(t, tc.args...)
			if code != 2 || !strings.Contains(errs, tc.err) {
				t.Errorf("%s\nexit code %d, want 2, and %q:\n%s", tc.reason, code, tc.err, errs)
			}
		})
	}
}

// TestInitExplore writes the scenario with which the help of explore begins.
func TestInitExplore(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"init", "explore"}, {"lint", "lifecycle.yaml"}} {
		if code, out, errs := runCommandLine(t, args...); code != 0 {
			t.Errorf("cosi-emu %v: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	for name, tc := range map[string]struct {
		args []string
		err  string
	}{
		"Both":     {[]string{"explore", "--suite", "lifecycle.yaml"}, "lifecycle.yaml"},
		"Scenario": {[]string{"explore", "lifecycle.yaml", "--scenario", "a"}, "select scenarios of --suite"},
		"None":     {[]string{"explore", "--suite", "--scenario", "none"}, "none of"},
		"Nothing":  {[]string{"explore"}, "requires a file or a directory"},
		"NoLife":   {[]string{"explore", "--lives", "0"}, "--lives 0 must be at least 1"},
		"LifeFile": {[]string{"explore", "--lives", "1", "lifecycle.yaml"}, "lifecycle.yaml"},
		"Faults":   {[]string{"explore", "--lives", "1", "--pairs"}, "--pairs is for scenarios of files, or for faults"},
		"API":      {[]string{"explore", "lifecycle.yaml", "--api", "v1alpha1"}, "--api is the version of --lives"},
	} {
		if code, _, errs := runCommandLine(t, tc.args...); code != 2 || !strings.Contains(errs, tc.err) {
			t.Errorf("%s: exit code %d, want 2 and %q:\n%s", name, code, tc.err, errs)
		}
	}
}
