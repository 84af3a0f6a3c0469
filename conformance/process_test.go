package conformance_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// The mistakes of a process in its calls; see processMistakes.
const (
	halfCreate        = "leaves half a bucket"
	halfDelete        = "leaves half a deletion"
	halfGrant         = "leaves half an access"
	halfRevoke        = "leaves half a revocation"
	internalOnSIGTERM = "calls fail with Internal during SIGTERM"
	printsSecrets     = "prints responses"
	diesOfInput       = "dies of an empty ID"
	createKnowsOnly   = "knows its buckets in memory only"
	createExists      = "answers AlreadyExists to repeated creations"
	ignoresParameters = "does not compare parameters"
	floods            = "prints hundreds of lines in each call"
	leaksDescriptors  = "leaks a descriptor in each call"
	dies              = "dies of every second call"
)

func fakeGet(id string) *cosiv1alpha2.DriverGetBucketRequest {
	return &cosiv1alpha2.DriverGetBucketRequest{BucketId: id}
}

// scripts are the files of an outage directory.
type scripts string

func (s scripts) command() []string {
	return []string{"../examples/conformance-backend.sh", string(s)}
}

// processConfig is the configuration for a driver that the suite starts, with a backend that
// fails and loses buckets.
func processConfig(t *testing.T, generation dialects.Dialect, mistake string) conformance.Config {
	t.Helper()
	dir := harness.SocketDir(t)
	backend := outages(filepath.Join(dir, "outage"))
	config := conformance.Config{
		DriverCommand: []string{os.Args[0], "-endpoint=$(COSI_ENDPOINT)"},
		DriverEnv: []string{
			roleVariable + "=" + mistake, generationVariable + "=" + string(generation), s3Variable + "=" + harness.FreeAddress(t),
			outageVariable + "=" + string(backend), passwordVariable + "=correct-horse-battery", "TOKEN_FILE=/etc/token",
		},
		Backend:          backend,
		AllowDestructive: true, Seed: "test",
		CallTimeout: 5 * time.Second, Settle: time.Second,
		Parameters: conformance.Parameters{
			Bucket: map[string]string{"note": "first"}, Incompatible: map[string]string{"note": "second"},
		},
	}
	if mistake == compiledIn {
		config.Endpoint = "unix://" + filepath.Join(dir, "my.sock")
	}
	return config
}

// ofProcess returns whether a check is about the process of a driver, or its backend.
func ofProcess(id string) bool {
	return slices.Contains([]string{"CS", "BE", "LG"}, id[:2]) || strings.HasPrefix(id, "LF-1")
}

// TestManifests: a driver that the suite starts reads a Secret, which exists before it starts. If
// manifests are missing or contain no objects, the suite reports it.
func TestManifests(t *testing.T) {
	const secret = `apiVersion: v1
kind: Namespace
metadata: {name: storage}
---
apiVersion: v1
kind: Secret
metadata: {namespace: storage, name: backend}
stringData: {password: correct-horse}
`
	const noRights = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: mine, namespace: storage}\n"
	for name, tc := range map[string]struct{ text, rbac, problem, err string }{
		"Secret":      {text: secret},
		"NoRights":    {text: secret, rbac: noRights, problem: `User "system:serviceaccount:storage:mine" cannot get resource "secrets"`},
		"None":        {problem: `secrets "backend" not found`},
		"Invalid":     {text: "kind: [\n", err: "invalid YAML"},
		"NoNamespace": {text: secret[strings.Index(secret, "---")+4:], err: `namespaces "storage" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			config := processConfig(t, dialects.KEP, needsSecret)
			config.ControlPlane = &conformance.ControlPlane{}
			if tc.rbac != "" {
				config.ControlPlane.DriverRBAC = []byte(tc.rbac)
			}
			config.ControlPlaneKind, config.Only = emulator.ControlPlaneEmbedded, []string{"ID-01", "CS-10"}
			if tc.text != "" {
				config.ControlPlane.Manifests = filepath.Join(t.TempDir(), "secret.yaml")
				if err := os.WriteFile(config.ControlPlane.Manifests, []byte(tc.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			report, err := conformance.Execute(t.Context(), config)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("Execute() = %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantOnlyProblem(t, report, tc.problem)
		})
	}
}

// wantOnlyProblem fails the test unless the report has a problem with that text, or without a text no
// problem and no check that did not pass.
func wantOnlyProblem(t *testing.T, report *conformance.Report, text string) {
	t.Helper()
	if !strings.Contains(report.Problem, text) || text == "" && report.Problem != "" {
		t.Errorf("problem %q, want %q", report.Problem, text)
	}
	for _, result := range report.Results {
		if result.State != conformance.Pass {
			t.Error(result.Explain())
		}
	}
}

// TestProcess: the fake driver, in a process of its own, passes every check of processes and
// backends that applies, in both generations, and nothing is left.
func TestProcess(t *testing.T) {
	t.Parallel()
	for _, generation := range []dialects.Dialect{dialects.V1alpha1, dialects.KEP} {
		t.Run(string(generation), func(t *testing.T) {
			t.Parallel()
			config := processConfig(t, generation, right)
			if backend, ok := config.Backend.(outages); ok {
				config.Backend = conformance.BackendCommand(scripts(backend).command())
			}
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Duration(0)
			for _, result := range report.Results {
				unsupported := result.State == conformance.NotSupported && (!ofProcess(result.Check.ID) || result.Check.Generation != "")
				if result.State != conformance.Pass && !unsupported {
					t.Error(result.Explain())
				}
				if len(result.Leftovers) > 0 {
					t.Errorf("%s: leftovers %v", result.Check.ID, result.Leftovers)
				}
				if result.Check.Profile == "Crash-Safety" {
					took += result.Took
				}
			}
			t.Logf("Crash-Safety took %s", took)
			if took > time.Minute {
				t.Logf("that is more than a minute")
			}
		})
	}
}

// processMutant is a mistake of a driver's process, with the checks that it fails. The only ones that
// it can be asked are given if others take long.
type processMutant struct {
	mistake, class string
	only           []string
	want           []string
}

func processMutants() []processMutant {
	return []processMutant{
		{mistake: staleSocket, class: "D22", want: []string{"CS-02"}},
		{mistake: compiledIn, class: "D22", want: []string{"CS-01"}},
		{mistake: needsBackend, class: "D22", want: []string{"CS-04"}},
		{mistake: failsOnSIGTERM, want: []string{"CS-05"}},
		{mistake: ignoresSIGTERM, only: []string{"CS-05"}, want: []string{"CS-05"}},                      // each end takes ten seconds
		{mistake: internalOnSIGTERM, only: []string{"CS-05", "CS-06", "CS-07"}, want: []string{"CS-06"}}, // its calls are slow
		{mistake: createExists, class: "D01", only: []string{"CB-04", "CS-06"}, want: []string{"CB-04"}}, // CS-06 repeats creations
		{mistake: createKnowsOnly, class: "D06", want: []string{"CS-07", "CS-10", "CS-12", "LF-10"}},
		{mistake: halfCreate, class: "D05", want: []string{"BE-16", "BE-20", "CS-12"}},
		{mistake: halfDelete, class: "D05", want: []string{"CS-13"}},
		{mistake: halfGrant, class: "D05", want: []string{"BE-21", "BE-22", "CS-14", "CS-15"}},
		{mistake: halfRevoke, class: "D05", want: []string{"BE-23", "CS-17"}},
		{mistake: diesOfInput, class: "D09", only: []string{"CB-13", "CS-20"}, want: []string{"CB-13", "CS-20"}},
		{mistake: printsSecrets, class: "D21", want: []string{"LG-01"}},
		{mistake: printsPassword, class: "D21", want: []string{"LG-02"}},
	}
}

// TestDeath: a failure of a call that the driver's process did not outlive names its end, and no connection.
func TestDeath(t *testing.T) {
	t.Parallel()
	config := processConfig(t, dialects.KEP, diesOfInput)
	config.Only = []string{"CB-13"}
	report, err := conformance.Execute(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	result := report.Results[0]
	if result.Failure == nil {
		t.Fatalf("%s: %s, %s", result.Check.ID, result.State, result.Reason)
	}
	if got := result.Failure.Got; !strings.Contains(got, "the driver's process ended by itself: ") || !strings.Contains(got, "exit status 2") {
		t.Errorf("got %q", got)
	}
}

// TestProcessMutants: each faulty process fails the checks that are about its mistake.
func TestProcessMutants(t *testing.T) {
	t.Parallel()
	runProcessMutants(t, func(m processMutant) []string { return m.want })
}

// TestLongProcessMutants: and no others of processes and backends.
func TestLongProcessMutants(t *testing.T) {
	t.Parallel()
	runProcessMutants(t, func(m processMutant) []string {
		only := m.only
		for _, check := range conformance.Checks() {
			if m.only == nil && ofProcess(check.ID) {
				only = append(only, check.ID)
			}
		}
		return only
	})
}

func runProcessMutants(t *testing.T, checks func(processMutant) []string) {
	t.Helper()
	for _, test := range processMutants() {
		t.Run(test.mistake, func(t *testing.T) {
			t.Parallel()
			config := processConfig(t, dialects.KEP, test.mistake)
			config.Only = checks(test)
			if test.mistake == needsBackend {
				config.Settle = 10 * time.Second // that a process takes at most to start, and to exit
			}
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			expectFailed(t, report, test.class, test.want)
		})
	}
}

// expectFailed expects that these checks failed and no others, and that one of them names the
// class.
func expectFailed(t *testing.T, report *conformance.Report, class string, want []string) {
	t.Helper()
	var got []string
	caught := class == ""
	for _, result := range report.Results {
		if result.State != conformance.Fail {
			continue
		}
		got = append(got, result.Check.ID)
		caught = caught || slices.Contains(result.Check.Classes, class)
		if !slices.Contains(want, result.Check.ID) {
			t.Log(result.Explain())
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failed checks: -want, +got:\n%s", diff)
	}
	if !caught {
		t.Errorf("no failed check names class %s", class)
	}
	if report.Problem != "" {
		t.Error(report.Problem)
	}
}
