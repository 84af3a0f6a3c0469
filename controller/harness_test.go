package controller_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/controllertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// fixture is a controller that runs as the user of deploy/rbac, an administrator
// who looks at what it does, and a namespace of the test's own.
type fixture struct {
	t testing.TB
	client.Client
	namespace string
	requests  *cluster.Requests
	log       *controllertest.LogBook
	running   *controllertest.Instance
}

// prepare gives the test a namespace and no controller.
func prepare(tb testing.TB) *fixture {
	tb.Helper()
	admin := connect(tb)
	h := &fixture{
		t: tb, Client: admin, namespace: controlplanetest.Namespace(tb),
		requests: &cluster.Requests{}, log: &controllertest.LogBook{},
	}
	tb.Cleanup(h.cleanUp)
	return h
}

// start gives the test a namespace and a controller that is ready.
func start(tb testing.TB) *fixture {
	tb.Helper()
	h := prepare(tb)
	h.startController()
	return h
}

// startController starts a controller with an empty cache. It ends with the test
// unless stopController is called before.
func (h *fixture) startController(change ...func(*cosicontroller.Options)) {
	h.t.Helper()
	opts := cosicontroller.Options{Logger: h.log.Logger(), RetryMaxDelay: time.Second}
	for _, f := range change {
		f(&opts)
	}
	h.running = controllertest.Start(h.t, h.requests, func() (controllertest.Controller, error) {
		return cosicontroller.New(h.config(), opts)
	})
	h.t.Cleanup(h.stopController)
}

// stopController stops the controller and checks that nothing of it is left.
func (h *fixture) stopController() {
	if life := h.running; life != nil {
		h.running = nil
		life.Stop()
	}
}

func (h *fixture) config() *rest.Config {
	h.t.Helper()
	return controllertest.Config(h.t, controlplanetest.Start(h.t), h.requests)
}

// eventually waits until check returns nil.
func (h *fixture) eventually(what string, check func(context.Context) error) {
	h.t.Helper()
	harness.Eventually(h.t, what, func(ctx context.Context) error {
		return controllertest.Describe(check(ctx), h.requests, h.log)
	})
}

// settles waits until the controller has written nothing for a while, and
// returns how many writes it has made in all.
func (h *fixture) settles() int {
	h.t.Helper()
	return harness.Settle(h.t, "writes of the controller", func() int { return len(h.requests.Writes()) })
}

// failRequests makes requests fail for which fault returns an error, before they
// reach the API server.
func (h *fixture) failRequests(fault func(*http.Request) error) {
	h.requests.Intercept(func(r *http.Request) (*http.Response, error) { return nil, fault(r) })
}

// answers is how many requests so far were answered with that status.
func (h *fixture) answers(status int) int {
	n := 0
	for _, request := range h.requests.All() {
		if request.Status == status {
			n++
		}
	}
	return n
}

// must fails the test on an error of its own doing.
func (h *fixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}
