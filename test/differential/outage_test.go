package differential

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	planekind "github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

const (
	requestsBeforeOutage = 20
	requestsInOutage     = 40
	// outagePatience is how long the servers wait for the storage: what is answered at all, is answered sooner.
	outagePatience = "10s"
)

// TestProgramsOutage sends drawn requests while the storage of both control planes is down. A request that needs it
// fails, without a trace. The others are answered as ever: discovery, reviews of rights, reads of any version, and
// everything that is rejected before.
func TestProgramsOutage(t *testing.T) {
	d := newDifferential(t, withoutControllers)
	random := rand.New(rand.NewPCG(*seed, 0)) //nolint:gosec // not a secret
	g := d.begin(t, random, "outage")
	for range requestsBeforeOutage {
		r := g.next()
		if diff, answers := d.compare(t, r); diff != "" && !isKnown(r, answers) {
			t.Fatalf("before the outage: %s\n%s", r, diff)
		}
	}
	d.eachPlane(t, controlplane.Components.StopComponent)
	var group sync.WaitGroup
	for range requestsInOutage {
		r := g.next()
		if r.Query == nil {
			r.Query = url.Values{}
		}
		r.Query.Set("timeout", outagePatience)
		group.Go(func() { d.compareInOutage(t, r) })
	}
	group.Wait()
	d.eachPlane(t, controlplane.Components.StartComponent)
	for _, k := range g.kinds {
		all := request{Method: http.MethodGet, Path: k.path(g.namespace)}
		d.await(t, "the storage", all, func(r response) bool { return r.Code == http.StatusOK })
		d.same(t, all)
	}
	t.Logf("seed %d", *seed)
}

func (d *differential) eachPlane(t *testing.T, do func(controlplane.Components, context.Context, string) error) {
	t.Helper()
	for _, plane := range d.planes {
		if err := do(plane, t.Context(), controlplane.Etcd); err != nil {
			t.Fatal(err)
		}
	}
}

// compareInOutage compares the answers to a request, or that neither server can answer it.
func (d *differential) compareInOutage(t *testing.T, r request) {
	t.Helper()
	var states [2]any
	for i, s := range d.servers {
		answer, err := s.clone().do(t.Context(), r) // other requests are sent meanwhile
		states[i] = compared(answer)
		if err != nil || answer.Code >= http.StatusInternalServerError { // kube-apiserver cuts some off
			states[i] = "outage"
		}
	}
	if diff := cmp.Diff(states[0], states[1]); diff != "" {
		t.Errorf("%s\n-%s +%s\n%s", r, planekind.Envtest, planekind.Embedded, diff)
	}
}
