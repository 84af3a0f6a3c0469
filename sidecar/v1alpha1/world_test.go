package v1alpha1_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/testr"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

const sidecarUser = "system:serviceaccount:cosi-system:cosi-sidecar"

// TestMain keeps the library from complaining that it has no log to write to.
func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// api is what the tests of this binary share: a client, and the sidecar's rights.
var api = sync.OnceValues(func() (client.Client, error) {
	plane, err := controlplanetest.SharedVersion(objectstorage.V1alpha1)
	if err != nil {
		return nil, err
	}
	admin, err := cluster.Connect(plane.AdminConfig())
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cosi-system"}}
	if err := client.IgnoreAlreadyExists(admin.Create(ctx, system)); err != nil {
		return nil, err
	}
	for _, file := range []string{"sidecar.yaml", "v1alpha1/sidecar.yaml"} {
		if err := cluster.Install(ctx, admin, "../../deploy/rbac/"+file); err != nil {
			return nil, err
		}
	}
	return admin, nil
})

// world is one test's driver, sidecar and namespace, and a hand that does what
// the controller and the users would.
type world struct {
	*cluster.Cluster

	driver   *drivertest.V1alpha1
	requests *cluster.Requests
	options  cosisidecar.Options
}

// newWorld has no sidecar running yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	plane := controlplanetest.StartVersion(t, objectstorage.V1alpha1)
	admin, err := api()
	if err != nil {
		t.Fatal(err)
	}
	namespace := controlplanetest.NamespaceIn(t, plane)
	goroutines := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		// Events that are still being written when the sidecar stops keep their
		// connection busy for a moment; it is closed when it has been idle.
		leaks.Check(t, goroutines, goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run"))
	})
	d := drivertest.StartV1alpha1(t, "d-"+rand.String(8)+".test")
	return &world{
		Cluster: &cluster.Cluster{TB: t, Client: admin, Namespace: namespace}, driver: d, requests: &cluster.Requests{},
		options: cosisidecar.Options{
			Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions(), Logger: testr.New(t),
			RetryBaseDelay: 10 * time.Millisecond, RetryMaxDelay: 100 * time.Millisecond,
		},
	}
}

// start runs a sidecar of the world's driver until the test ends or the function
// that it returns is called, whichever is first, and waits until it is ready.
func (w *world) start() (stop func()) {
	w.Helper()
	s, err := sidecarv1alpha1.New(w.Context(), w.config(), w.options)
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := harness.Receive(w, "the sidecar stops", ended); err != nil {
			w.Errorf("the sidecar ended with an error: %v", err)
		}
	})
	w.Cleanup(stop)
	ready, cancelReady := context.WithTimeout(ctx, harness.Timeout)
	defer cancelReady()
	if err := s.WaitReady(ready); err != nil {
		w.Fatal(err)
	}
	return stop
}

// config is that of the sidecar's own user, through the world's recorder.
func (w *world) config() *rest.Config {
	w.Helper()
	plane := controlplanetest.StartVersion(w, objectstorage.V1alpha1)
	cfg, err := plane.UserConfig(sidecarUser, "system:serviceaccounts", "system:serviceaccounts:cosi-system")
	if err != nil {
		w.Fatal(err)
	}
	cfg.Wrap(w.requests.Wrap)
	return cfg
}

// settle waits until no call of the driver and no write has been made for a while.
func (w *world) settle() {
	w.Helper()
	harness.Settle(w, "calls and writes", func() int { return len(w.driver.Calls()) + len(w.requests.Writes()) })
}
