package conformance_test

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// sample limits the mutants that a run tries.
var sample = flag.Int("sample", 12, "number of faulty drivers to try, selected by the seed in COSI_EMU_TEST_SEED; 0 means all")

// mutant is a faulty driver: the fake driver, which does one thing wrong.
type mutant struct {
	name string
	// class is the failure of drivers that the mutant has, if it is a known one.
	class string
	// options configure the fake driver. Default: all protocols, and ServiceAccounts.
	options *fakedriver.Options
	// behaviour returns the bug of a new process. The state outlives processes.
	behaviour func(state *sync.Map) behaviour
	// service wraps the S3 service.
	service func(*driver, http.Handler) http.Handler
	// gcs wraps the GCS service.
	gcs func(*driver, http.Handler) http.Handler
	// secret returns the secret of an account, instead of a random one.
	secret func(account string) string
	// azure wraps the Azure service.
	azure      func(*driver, http.Handler) http.Handler
	parameters func(*conformance.Parameters)
	// timeout limits a check and half of it a call, if the mutant has the suite wait for that.
	timeout time.Duration
	// want are the checks that fail, and may those that fail if calls overlap.
	want, may []string
}

// allProtocols are the options with which every profile applies.
func allProtocols() fakedriver.Options {
	return fakedriver.Options{
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}, ServiceAccounts: true,
	}
}

// old are the options of a driver of v1alpha1.
func old() *fakedriver.Options {
	return &fakedriver.Options{Dialect: dialects.V1alpha1, ServiceAccounts: true}
}

// s3Only are the options of a driver of S3.
func s3Only() *fakedriver.Options { return &fakedriver.Options{} }

func mutants() []mutant {
	return slices.Concat(identityMutants(), idMutants(), createMutants(), getMutants(), deleteMutants(), grantMutants(), enumMutants(),
		repeatMutants(), revokeMutants(), secretMutants(), modeMutants(), multiBucketMutants(), serviceAccountMutants(), azureMutants(),
		gcsMutants(), codeMutants(), concurrencyMutants(), lifeMutants(), oldMutants(), oldResponseMutants())
}

// matrix are the checks that each mutant failed.
type matrix struct {
	mu   sync.Mutex
	rows map[string][]string
}

func (m *matrix) add(name string, failed []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[name] = failed
}

// String returns a table of mutants and checks.
func (m *matrix) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "| mutant | class | failed checks |\n| --- | --- | --- |\n")
	for _, one := range mutants() {
		if failed, tried := m.rows[one.name]; tried {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", one.name, one.class, strings.Join(failed, " "))
		}
	}
	return b.String()
}

// TestLongMutants: each faulty driver fails the checks that are about its mistake, and no
// others. It prints mutant × check.
func TestLongMutants(t *testing.T) {
	table := &matrix{rows: map[string][]string{}}
	t.Run("drivers", func(t *testing.T) {
		for _, m := range harness.Draw(t, mutants(), *sample) {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				table.add(m.name, m.test(t))
			})
		}
	})
	t.Logf("mutants and the checks that they fail:\n%s", table)
}

// test runs the suite, and returns the checks that failed.
func (m mutant) test(t *testing.T) []string {
	t.Helper()
	s := setup{
		options: allProtocols(), behaviour: m.behaviour, service: m.service, gcs: m.gcs, secret: m.secret, azure: m.azure,
		parameters: m.parameters,
	}
	if m.options != nil {
		s.options = *m.options
	}
	d := serve(t, s)
	config := d.config()
	if m.timeout > 0 {
		config.Timeout, config.CallTimeout = m.timeout, m.timeout/2
	}
	report := d.test(config)
	t.Logf("took %s", report.Took)
	var failed []string
	caught := m.class == ""
	for _, result := range report.Results {
		if result.State != conformance.Fail {
			continue
		}
		failed = append(failed, result.Check.ID)
		caught = caught || slices.Contains(result.Check.Classes, m.class)
		if !slices.Contains(m.want, result.Check.ID) && !slices.Contains(m.may, result.Check.ID) {
			t.Log(result.Explain())
		}
	}
	slices.Sort(failed)
	sure := slices.DeleteFunc(slices.Clone(failed), func(id string) bool { return slices.Contains(m.may, id) })
	if diff := gocmp.Diff(m.want, sure); diff != "" {
		t.Errorf("failed checks: -want, +got:\n%s", diff)
	}
	if !caught {
		t.Errorf("no failed check names class %s", m.class)
	}
	return failed
}

// TestMutants: there are enough, each known class of failures has one, and each check has one
// that it fails.
func TestMutants(t *testing.T) {
	const least = 50
	names, classes, failing := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, m := range mutants() {
		if names[m.name] {
			t.Errorf("two mutants have the name %q", m.name)
		}
		names[m.name], classes[m.class] = true, true
		for _, id := range m.want {
			failing[id] = true
		}
		if !slices.IsSorted(m.want) {
			t.Errorf("%s: the checks that fail must be sorted: %v", m.name, m.want)
		}
	}
	if len(names) < least {
		t.Errorf("%d mutants, want at least %d", len(names), least)
	}
	for i := range 25 {
		if class := fmt.Sprintf("D%02d", i+1); !classes[class] && elsewhere[class] == "" {
			t.Errorf("class %s has no mutant", class)
		}
	}
	for _, c := range conformance.Checks() {
		if !failing[c.ID] && !shownElsewhere(c) {
			t.Errorf("no mutant fails check %s: %s", c.ID, c.Title)
		}
	}
}
