package v1alpha1_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/controllertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// fixture is a controller that runs as the user of deploy/rbac, an administrator who looks at
// what it does, and a namespace of the test's own.
type fixture struct {
	t testing.TB
	client.Client
	namespace string
	requests  *cluster.Requests
	log       *controllertest.LogBook
	running   *controllertest.Instance

	strict bool // for the next start of the controller
}

// shared is the control plane that all tests share.
var shared struct {
	once  sync.Once
	admin client.Client
	err   error
}

func plane(tb testing.TB) controlplane.ControlPlane {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs a control plane")
	}
	return controlplanetest.StartVersion(tb, objectstorage.V1alpha1)
}

// prepare gives the test a namespace and no controller.
func prepare(tb testing.TB) *fixture {
	tb.Helper()
	p := plane(tb)
	shared.once.Do(func() {
		shared.admin, shared.err = controllertest.NewAdmin(p.AdminConfig(), "../../deploy/rbac/controller.yaml")
	})
	if shared.err != nil {
		tb.Fatalf("connect to the control plane: %v", shared.err)
	}
	h := &fixture{
		t: tb, Client: shared.admin, namespace: controlplanetest.NamespaceIn(tb, p),
		requests: &cluster.Requests{}, log: &controllertest.LogBook{},
	}
	tb.Cleanup(func() {
		controllertest.RemoveAll(tb, h.Client,
			&v1alpha1.BucketAccessList{}, &v1alpha1.BucketClaimList{}, &v1alpha1.BucketList{},
			&v1alpha1.BucketClassList{}, &v1alpha1.BucketAccessClassList{})
	})
	return h
}

// start gives the test a namespace and a controller that is ready.
func start(tb testing.TB) *fixture {
	tb.Helper()
	h := prepare(tb)
	h.startController()
	return h
}

// startController starts a controller with an empty cache. It ends with the test unless
// stopController is called before.
func (h *fixture) startController() {
	h.t.Helper()
	opts := controllerv1alpha1.Options{Logger: h.log.Logger(), RetryMaxDelay: time.Second, Strict: h.strict}
	h.running = controllertest.Start(h.t, h.requests, func() (controllertest.Controller, error) {
		return controllerv1alpha1.New(h.config(), opts)
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
	return controllertest.Config(h.t, plane(h.t), h.requests)
}

// eventually waits until check returns nil.
func (h *fixture) eventually(what string, check func(context.Context) error) {
	h.t.Helper()
	harness.Eventually(h.t, what, func(ctx context.Context) error {
		return controllertest.Describe(check(ctx), h.requests, h.log)
	})
}

// settles waits until the controller has sent no request for a while, and returns how many
// writes it has made in all.
func (h *fixture) settles() int {
	h.t.Helper()
	harness.Settle(h.t, "requests of the controller", func() int { return len(h.requests.All()) })
	return len(h.requests.Writes())
}

// must fails the test on an error of its own doing.
func (h *fixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// make creates objects as their user would.
func (h *fixture) make(created ...client.Object) {
	h.t.Helper()
	for _, object := range created {
		h.must(h.Create(context.Background(), object))
	}
}

// delete deletes an object, which may stay until it has no finalizer any more.
func (h *fixture) delete(object client.Object) {
	h.t.Helper()
	h.must(h.Delete(context.Background(), object.DeepCopyObject().(client.Object))) //nolint:forcetypeassert // it is a copy
}

// change edits an object as its user would.
func change[T client.Object](h *fixture, object T, edit func(T)) {
	h.t.Helper()
	h.must(refresh(context.Background(), h, object))
	before := object.DeepCopyObject().(client.Object) //nolint:forcetypeassert // it is a copy
	edit(object)
	h.must(h.Patch(context.Background(), object, client.MergeFrom(before)))
}

// report writes the status of an object, as the sidecar does, again after each conflict.
func report[T client.Object](h *fixture, object T, edit func(T)) {
	h.t.Helper()
	h.eventually("write a status", func(ctx context.Context) error {
		if err := refresh(ctx, h, object); err != nil {
			return err
		}
		edit(object)
		return h.Status().Update(ctx, object)
	})
}

// refresh reads into a zeroed object: what JSON leaves out must not survive.
func refresh(ctx context.Context, h *fixture, object client.Object) error {
	key := client.ObjectKeyFromObject(object)
	switch o := object.(type) {
	case *v1alpha1.BucketClaim:
		*o = v1alpha1.BucketClaim{}
	case *v1alpha1.Bucket:
		*o = v1alpha1.Bucket{}
	}
	err := h.Get(ctx, key, object)
	object.SetName(key.Name)
	object.SetNamespace(key.Namespace)
	return err
}

// awaits waits until the object as it is on the API server satisfies the check.
func awaits[T client.Object](h *fixture, object T, what string, check func(T) error) {
	h.t.Helper()
	h.eventually(fmt.Sprintf("%T %s: %s", object, object.GetName(), what), func(ctx context.Context) error {
		if err := refresh(ctx, h, object); err != nil {
			return err
		}
		return check(object)
	})
}

// vanishes waits until the object is gone.
func (h *fixture) vanishes(object client.Object) {
	h.t.Helper()
	h.eventually(fmt.Sprintf("%T %s vanishes", object, object.GetName()), func(ctx context.Context) error {
		err := refresh(ctx, h, object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("still there: %+v", object))
	})
}

// says waits for an Event about an object, perhaps not the first with its reason.
func (h *fixture) says(object client.Object, reason, want string) {
	h.t.Helper()
	about := object.DeepCopyObject().(client.Object) //nolint:forcetypeassert // it is a copy
	h.eventually("Event "+reason, func(ctx context.Context) error {
		events := controllertest.Events(ctx, h.t, h.Client, about)
		_, message, _ := strings.Cut(want, ": ")
		if events[reason] != want && events[reason+" again"] != message {
			return fmt.Errorf("got %q, want %q; events: %v", events[reason], want, events)
		}
		return nil
	})
}
