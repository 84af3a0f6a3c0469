package controller_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
)

const (
	// user is what the manifests in deploy/ make the controller.
	user = "system:serviceaccount:cosi-system:cosi-controller"
	// patience is how long a test waits for what must happen.
	patience = 20 * time.Second
	interval = 5 * time.Millisecond
)

// harness is a controller that runs as the user of deploy/rbac, an administrator
// who looks at what it does, and a namespace of the test's own.
type harness struct {
	t testing.TB
	client.Client
	namespace string
	traffic   *traffic
	log       *logBook
	running   *instance
}

// prepare gives the test a namespace and no controller.
func prepare(tb testing.TB) *harness {
	tb.Helper()
	admin := connect(tb)
	h := &harness{t: tb, Client: admin, namespace: controlplanetest.Namespace(tb), traffic: &traffic{}, log: &logBook{}}
	tb.Cleanup(h.cleanUp)
	return h
}

// start gives the test a namespace and a controller that is ready.
func start(tb testing.TB) *harness {
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
func (h *harness) startController(change ...func(*controller.Options)) {
	h.t.Helper()
	opts := controller.Options{Logger: h.log.logger(), RetryMaxDelay: time.Second}
	for _, f := range change {
		f(&opts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	life := &instance{cancel: cancel, ended: make(chan error, 1), ignore: goleak.IgnoreCurrent()}
	c, err := controller.New(h.config(), opts)
	if err != nil {
		h.t.Fatalf("make a controller: %v", err)
	}
	go func() { life.ended <- c.Start(ctx) }()
	h.running = life
	h.t.Cleanup(h.stopController)
	ready, done := context.WithTimeout(ctx, patience)
	defer done()
	if err := c.WaitReady(ready); err != nil {
		h.t.Fatalf("wait for the controller: %v", err)
	}
}

// stopController stops the controller and checks that nothing of it is left.
func (h *harness) stopController() {
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
			h.traffic.closeIdle() // once the last request has ended
			return goleak.Find(life.ignore)
		})
	}
}

func (h *harness) config() *rest.Config {
	h.t.Helper()
	cfg, err := controlplanetest.Start(h.t).UserConfig(user, "system:serviceaccounts", "system:authenticated")
	if err != nil {
		h.t.Fatalf("make credentials of the controller: %v", err)
	}
	cfg.Wrap(h.traffic.wrap)
	return cfg
}

// eventually waits until check returns nil.
func (h *harness) eventually(what string, check func(context.Context) error) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		h.t.Fatalf("%s: %v\nwrites of the controller: %v\nlog of the controller:\n%s", what, last, h.traffic.writes(), h.log)
	}
}

// settles waits until the controller has written nothing for a while, and
// returns how many writes it has made in all.
func (h *harness) settles() int {
	h.t.Helper()
	const quiet = 300 * time.Millisecond
	writes, since := len(h.traffic.writes()), time.Now()
	h.eventually("settle", func(context.Context) error {
		if now := len(h.traffic.writes()); now != writes {
			writes, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return errors.New("the controller still writes")
		}
		return nil
	})
	return writes
}

// must fails the test on an error of its own doing.
func (h *harness) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}
