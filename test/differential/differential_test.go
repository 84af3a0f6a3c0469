package differential

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	planekind "github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

var (
	show     = flag.Bool("show", false, "log all requests")
	requests = flag.Int("requests", 1500, "number of requests that are sent to both servers")
	seed     = flag.Uint64("seed", 0, "seed of the requests; 0 means that of COSI_EMU_TEST_SEED")
)

// requestsInRun is how many requests share a namespace, and maxDifferences how many are shown.
const (
	requestsInRun  = 60
	maxDifferences = 15
)

// TestSame sends generated requests to both control planes.
func TestSame(t *testing.T) {
	d := newDifferential(t, withoutControllers)
	d.runs(t, *requests)
	d.checkRules(t)
}

// jobsPart is the part of the requests that is about Jobs.
const jobsPart = 5

// TestSameJobs sends generated requests about Jobs, which the embedded control plane serves with Pods only.
func TestSameJobs(t *testing.T) {
	d := newDifferential(t, func(opts *controlplane.Options) { opts.NoControllers, opts.Pods = true, true })
	d.runs(t, *requests/jobsPart)
}

// differential has both servers. The real one is the first.
type differential struct {
	servers [2]*server
	planes  [2]controlplane.ControlPlane
	dirs    [2]string
	kinds   []*kind

	sent, found int
	codes       map[int]int
	// messages are the messages of all causes.
	messages map[string]bool
}

// runs sends so many requests.
func (d *differential) runs(t *testing.T, requests int) {
	t.Helper()
	for run := 0; run*requestsInRun < requests; run++ {
		d.run(t, run)
		if d.found >= maxDifferences {
			t.Fatalf("more than %d differences", maxDifferences)
		}
	}
	t.Logf("seed %d: %d requests; answers by code: %v", *seed, d.sent, d.codes)
}

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
	m.Run()
}

// newDifferential starts both servers, and draws the seed if none is given.
func newDifferential(t *testing.T, change func(*controlplane.Options)) *differential {
	t.Helper()
	if testing.Short() {
		t.Skip("it requires kube-apiserver")
	}
	if *seed == 0 {
		*seed = harness.Seed(t)
	}
	d := &differential{codes: map[int]int{}, messages: map[string]bool{}}
	var err error
	if d.kinds, err = readKinds(); err != nil {
		t.Fatal(err)
	}
	var opts controlplane.Options
	change(&opts)
	d.kinds = slices.DeleteFunc(d.kinds, func(k *kind) bool { return k.Pods != opts.Pods })
	d.planes, d.dirs = startPlanes(t, change)
	for i, plane := range d.planes {
		if d.servers[i], err = newServer(plane.AdminConfig()); err != nil {
			t.Fatal(err)
		}
	}
	d.requireOneVersion(t)
	return d
}

// startPlanes starts both control planes in directories of their own, the real one first.
func startPlanes(t *testing.T, change func(*controlplane.Options)) (planes [2]controlplane.ControlPlane, dirs [2]string) {
	t.Helper()
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range []planekind.Kind{planekind.Envtest, planekind.Embedded} {
		dirs[i] = filepath.Join(t.TempDir(), "plane")
		opts := controlplane.Options{Dir: dirs[i], CRDs: definitions}
		change(&opts)
		planes[i] = controlplanetest.StartKind(t, kind, opts)
	}
	return planes, dirs
}

// withoutControllers is for tests whose objects must not change at another's time.
func withoutControllers(opts *controlplane.Options) { opts.NoControllers = true }

func withControllers(*controlplane.Options) {}

// requireOneVersion skips the test if the programs and the libraries are of different minor
// versions of Kubernetes: what changed between them would be found.
func (d *differential) requireOneVersion(t *testing.T) {
	t.Helper()
	var minors [2]string
	for i, answer := range d.mustDo(t, request{Method: http.MethodGet, Path: "/version"}) {
		version, _ := answer.Body.(map[string]any)
		minors[i] = fmt.Sprintf("%v.%v", version["major"], version["minor"])
	}
	if minors[0] != minors[1] {
		t.Skipf("kube-apiserver is of Kubernetes %s, and the libraries are of %s", minors[0], minors[1])
	}
}

// run sends requests in a namespace of their own, until the servers differ: what follows
// would differ as well.
func (d *differential) run(t *testing.T, index int) {
	t.Helper()
	random := rand.New(rand.NewPCG(*seed, uint64(index))) //nolint:gosec // not a secret
	g := d.begin(t, random, fmt.Sprintf("run%d", index))
	watched := pick(g.random, g.kinds)
	g.user = d.limit(t, random, g.kinds, watched, g.namespace)
	from := d.versionsOf(t, watched, g.namespace)
	for n := range requestsInRun {
		r := g.next()
		diff, answers := d.compare(t, r)
		if diff != "" && isKnown(r, answers) {
			return
		}
		if diff != "" {
			d.found++
			t.Errorf("run %d, request %d: %s\n-%s +%s\n%s", index, n, r, planekind.Envtest, planekind.Embedded, diff)
			return
		}
	}
	d.compareWatches(t, g, watched, from)
}

// begin returns a generator of requests in a new namespace.
func (d *differential) begin(t *testing.T, random *rand.Rand, namespace string) *generator {
	t.Helper()
	d.make(t, "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}})
	return &generator{
		// A few kinds are enough: requests have to meet.
		random: random, kinds: []*kind{pick(random, d.kinds), pick(random, d.kinds), pick(random, d.kinds)}, namespace: namespace,
		current: func(path string) map[string]any { return d.servers[0].known[path].object },
	}
}

// compare sends a request to both, and returns how the answers differ.
func (d *differential) compare(t *testing.T, r request) (diff string, answers [2]response) {
	t.Helper()
	answers = d.mustDo(t, r)
	if *show {
		t.Logf("%s -> %d", r, answers[0].Code)
	}
	d.sent++
	d.codes[answers[0].Code]++
	d.collect(answers[0])
	return cmp.Diff(compared(answers[0]), compared(answers[1])), answers
}

func (d *differential) mustDo(t *testing.T, r request) (answers [2]response) {
	t.Helper()
	for i, s := range d.servers {
		var err error
		if answers[i], err = s.do(t.Context(), r); err != nil {
			t.Fatalf("server %d: %s: %v", i, r, err)
		}
	}
	return answers
}

// compared returns the part of a response that has to be equal. kube-apiserver may apply a patch to
// the object that its cache still has, and warn of it, before it answers that the object is not
// found.
func compared(r response) map[string]any {
	slices.Sort(r.Warnings)
	if r.Code == http.StatusNotFound {
		r.Warnings = nil
	}
	return map[string]any{"code": r.Code, "warnings": r.Warnings, "body": normalize(r.Body)}
}

// collect notes the messages of the causes of a rejection.
func (d *differential) collect(r response) {
	body, _ := r.Body.(map[string]any)
	details, _ := body["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	for _, cause := range causes {
		if fields, ok := cause.(map[string]any); ok {
			message, _ := fields["message"].(string)
			d.messages[message] = true
		}
	}
}

func (d *differential) versionsOf(t *testing.T, k *kind, namespace string) (versions [2]string) {
	t.Helper()
	for i, s := range d.servers {
		var err error
		if versions[i], err = s.collectionVersion(t.Context(), k.path(namespace)); err != nil {
			t.Fatal(err)
		}
	}
	return versions
}

// compareWatches compares the events since the versions, up to a last object.
func (d *differential) compareWatches(t *testing.T, g *generator, k *kind, from [2]string) {
	t.Helper()
	last := g.namespace + "-last"
	d.mustDo(t, request{
		Method: http.MethodPost, Path: k.path(g.namespace), ContentType: "application/json", Body: text(k.object(0, g.namespace, last)),
	})
	var events [2]any
	for i, s := range d.servers {
		seen, err := s.watch(t.Context(), k.path(g.namespace), from[i], func(object map[string]any) bool {
			metadata, _ := object["metadata"].(map[string]any)
			return metadata["name"] == last
		})
		if err != nil {
			t.Fatal(err)
		}
		events[i] = normalize(seen)
	}
	if diff := cmp.Diff(events[0], events[1]); diff != "" {
		d.found++
		t.Errorf("events of %s in %s: -%s +%s\n%s", k.Resource, g.namespace, planekind.Envtest, planekind.Embedded, diff)
	}
}

// rulesRequests is how many requests reject objects by every rule.
const rulesRequests = 15000

// checkRules checks that every rule of the definitions has rejected a request.
func (d *differential) checkRules(t *testing.T) {
	t.Helper()
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, definition := range definitions {
		schema, err := json.Marshal(definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(schema, &tree); err != nil {
			t.Fatal(err)
		}
		collectRules(tree, rules)
	}
	var missing []string
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(d.messages)), func(m string) bool { return strings.Contains(m, rule) }) {
			missing = append(missing, rule)
		}
	}
	t.Logf("%d of %d rules have rejected a request", len(rules)-len(missing), len(rules))
	if *requests >= rulesRequests && len(missing) > 0 {
		t.Errorf("no request was rejected by:\n%s", strings.Join(missing, "\n"))
	}
}

func collectRules(schema any, into map[string]bool) {
	switch in := schema.(type) {
	case map[string]any:
		validations, _ := in["x-kubernetes-validations"].([]any)
		for _, v := range validations {
			if fields, ok := v.(map[string]any); ok {
				message, _ := fields["message"].(string)
				into[message] = true
			}
		}
		for _, below := range in {
			collectRules(below, into)
		}
	case []any:
		for _, item := range in {
			collectRules(item, into)
		}
	}
}
