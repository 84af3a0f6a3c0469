package sidecar_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/testr"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

const (
	sidecarUser = "system:serviceaccount:cosi-system:cosi-sidecar"
	patience    = 20 * time.Second
	interval    = 5 * time.Millisecond
)

// TestMain keeps the library from complaining that it has no log to write to.
func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// api is what the tests of this binary share: clients, and the sidecar's rights.
var api = sync.OnceValues(func() (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha2.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	cfg := sharedControlPlane.AdminConfig()
	cfg.QPS = -1
	admin, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return admin, grantSidecarRights(admin)
})

// world is one test's driver, sidecar and namespace, and a hand that does what
// the controller and the users would.
type world struct {
	testing.TB
	client.Client

	driver    *drivertest.Driver
	namespace string
	traffic   *traffic
	options   sidecar.Options
}

// newWorld has no sidecar running yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	startControlPlane(t)
	admin, err := api()
	if err != nil {
		t.Fatal(err)
	}
	namespace := controlplanetest.Namespace(t)
	goroutines := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		// Events that are still being written when the sidecar stops keep their
		// connection busy for a moment; it is closed when it has been idle.
		goleak.VerifyNone(t, goroutines, goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run"))
	})
	d := drivertest.Start(t, "d-"+rand.String(8)+".test")
	return &world{
		TB: t, Client: admin, driver: d, namespace: namespace, traffic: &traffic{},
		options: sidecar.Options{
			Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions(), Logger: testr.New(t),
			RetryBaseDelay: 10 * time.Millisecond, RetryMaxDelay: 100 * time.Millisecond,
		},
	}
}

// in returns the same world for a part of the test.
func (w *world) in(t *testing.T) *world {
	t.Helper()
	part := *w
	part.TB = t
	return &part
}

// start runs a sidecar of the world's driver until the test ends or the function
// that it returns is called, whichever is first, and waits until it is ready.
func (w *world) start() (stop func()) {
	w.Helper()
	s, err := sidecar.New(w.Context(), w.config(), w.options)
	if err != nil {
		w.Fatal(err)
	}
	return w.run(s)
}

func (w *world) run(s *sidecar.Sidecar) (stop func()) {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				w.Errorf("the sidecar ended with an error: %v", err)
			}
		case <-time.After(patience):
			w.Error("the sidecar does not stop")
		}
	})
	w.Cleanup(stop)
	ready, cancelReady := context.WithTimeout(ctx, patience)
	defer cancelReady()
	if err := s.WaitReady(ready); err != nil {
		w.Fatal(err)
	}
	return stop
}

// config is that of the sidecar's own user, through the world's traffic.
func (w *world) config() *rest.Config {
	w.Helper()
	cfg, err := sharedControlPlane.UserConfig(sidecarUser, "system:serviceaccounts", "system:serviceaccounts:cosi-system")
	if err != nil {
		w.Fatal(err)
	}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper{traffic: w.traffic, next: next}
	})
	return cfg
}

// eventually waits until a check finds nothing to complain about.
func (w *world) eventually(check func() error) {
	w.Helper()
	var last error
	err := wait.PollUntilContextTimeout(w.Context(), interval, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		w.Fatalf("gave up waiting: %v", last)
	}
}

// settle waits until no call of the driver and no write has been made for a
// while, and returns how many there were.
func (w *world) settle() (calls, writes int) {
	w.Helper()
	const calm = 300 * time.Millisecond
	since := time.Now()
	w.eventually(func() error {
		if c, n := len(w.driver.Calls()), len(w.traffic.Writes()); c != calls || n != writes {
			calls, writes, since = c, n, time.Now()
		}
		if time.Since(since) < calm {
			return fmt.Errorf("still busy: calls %v, writes %v", w.driver.Methods(), w.traffic.Writes())
		}
		return nil
	})
	return calls, writes
}

// events are the reasons of the Events about an object.
func (w *world) events(object client.Object) map[string]int {
	w.Helper()
	list := &eventsv1.EventList{}
	if err := w.List(w.Context(), list); err != nil {
		w.Fatal(err)
	}
	reasons := map[string]int{}
	for _, e := range list.Items {
		if e.Regarding.UID == object.GetUID() {
			reasons[e.Reason]++
		}
	}
	return reasons
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// refresh reads an object again.
func (w *world) refresh(object client.Object) error {
	return w.Get(w.Context(), client.ObjectKeyFromObject(object), object)
}

func (w *world) gone(object client.Object) error {
	if err := w.refresh(object); !apierrors.IsNotFound(err) {
		return fmt.Errorf("%T %s is still there (%w)", object, object.GetName(), err)
	}
	return nil
}

// newUID makes a UID of the form that the API asks for.
func newUID() string { return string(uuid.NewUUID()) }

func grantSidecarRights(admin client.Client) error {
	manifests, err := os.ReadFile("../deploy/rbac/sidecar.yaml")
	if err != nil {
		return err
	}
	ctx := context.Background()
	system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cosi-system"}}
	if err := client.IgnoreAlreadyExists(admin.Create(ctx, system)); err != nil {
		return err
	}
	for document := range strings.SplitSeq(string(manifests), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(document), 4096).Decode(object); err != nil {
			return err
		}
		if err := client.IgnoreAlreadyExists(admin.Create(ctx, object)); err != nil {
			return err
		}
	}
	return nil
}

func contextFor(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
