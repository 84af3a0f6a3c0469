package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// user is what the manifests in deploy/ make the controller.
const user = "system:serviceaccount:cosi-system:cosi-controller"

// fixture is a controller that runs as the user of deploy/rbac, an administrator
// who looks at what it does, and a namespace of the test's own.
type fixture struct {
	t testing.TB
	client.Client
	namespace string
	requests  *harness.Requests
	log       *logBook
	running   *instance
}

// prepare gives the test a namespace and no controller.
func prepare(tb testing.TB) *fixture {
	tb.Helper()
	admin := connect(tb)
	h := &fixture{t: tb, Client: admin, namespace: controlplanetest.Namespace(tb), requests: &harness.Requests{}, log: &logBook{}}
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

// instance is one life of the controller.
type instance struct {
	cancel context.CancelFunc
	ended  chan error
	ignore goleak.Option
}

// startController starts a controller with an empty cache. It ends with the test
// unless stopController is called before.
func (h *fixture) startController(change ...func(*cosicontroller.Options)) {
	h.t.Helper()
	opts := cosicontroller.Options{Logger: h.log.logger(), RetryMaxDelay: time.Second}
	for _, f := range change {
		f(&opts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	life := &instance{cancel: cancel, ended: make(chan error, 1), ignore: goleak.IgnoreCurrent()}
	c, err := cosicontroller.New(h.config(), opts)
	if err != nil {
		h.t.Fatalf("make a controller: %v", err)
	}
	go func() { life.ended <- c.Start(ctx) }()
	h.running = life
	h.t.Cleanup(h.stopController)
	ready, done := context.WithTimeout(ctx, harness.Timeout)
	defer done()
	if err := c.WaitReady(ready); err != nil {
		h.t.Fatalf("wait for the controller: %v", err)
	}
}

// stopController stops the controller and checks that nothing of it is left.
func (h *fixture) stopController() {
	life := h.running
	if life == nil {
		return
	}
	h.running = nil
	life.cancel()
	if err := <-life.ended; err != nil {
		h.t.Errorf("controller ended with: %v", err)
	}
	if !h.t.Failed() {
		h.eventually("no goroutine is left", func(context.Context) error {
			h.requests.CloseIdle() // once the last request has ended
			return goleak.Find(life.ignore)
		})
	}
}

func (h *fixture) config() *rest.Config {
	h.t.Helper()
	cfg, err := controlplanetest.Start(h.t).UserConfig(user, "system:serviceaccounts", "system:authenticated")
	if err != nil {
		h.t.Fatalf("make credentials of the controller: %v", err)
	}
	cfg.Wrap(h.requests.Wrap)
	return cfg
}

// eventually waits until check returns nil.
func (h *fixture) eventually(what string, check func(context.Context) error) {
	h.t.Helper()
	harness.Eventually(h.t, what, func(ctx context.Context) error {
		err := check(ctx)
		if err != nil {
			return fmt.Errorf("%w\nwrites of the controller: %v\nlog of the controller:\n%s", err, h.requests.Writes(), h.log)
		}
		return nil
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
