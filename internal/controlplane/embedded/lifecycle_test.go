package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestStartAndStopLeaveNothing(t *testing.T) {
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cp")
	var phases []controlplane.Phase
	c := start(t, controlplane.Options{Dir: dir, CRDs: kinds, Phase: func(p controlplane.Phase) {
		p.Elapsed = 0
		phases = append(phases, p)
	}})
	want := []controlplane.Phase{
		{Name: "embedded API server"}, {Name: "embedded API server", Done: true},
		{Name: "crds"}, {Name: "crds", Done: true},
		{Name: "embedded controllers"}, {Name: "embedded controllers", Done: true},
	}
	if diff := cmp.Diff(want, phases); diff != "" {
		t.Errorf("phases: -want +got\n%s", diff)
	}
	if err := c.WaitReady(testContext(t)); err != nil {
		t.Error(err)
	}
	stop(t, c)
	stop(t, c)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is there after Stop: %v", err)
	}
}

// TestStartAgainAndAgain has what one start leaves behind add up. TestMain looks for
// goroutines.
func TestStartAgainAndAgain(t *testing.T) { startOften(t, 10) }

// TestLongStartAgainAndAgain is TestStartAgainAndAgain with a hundred starts.
func TestLongStartAgainAndAgain(t *testing.T) { startOften(t, 100) }

func startOften(t *testing.T, times int) {
	t.Helper()
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for range times {
		c := start(t, controlplane.Options{CRDs: kinds})
		makeNamespace(testContext(t), t, c, "one")
		stop(t, c)
	}
}

// TestStopAtOnce stops control planes whose controllers have just begun to start.
func TestStopAtOnce(t *testing.T) {
	for range 5 {
		stop(t, start(t, controlplane.Options{}))
	}
}

func TestManyAtOnce(t *testing.T) {
	const planes = 4
	hosts := make([]string, planes)
	var all sync.WaitGroup
	for i := range planes {
		all.Go(func() {
			c := start(t, controlplane.Options{Dir: filepath.Join(t.TempDir(), "cp")})
			hosts[i] = c.AdminConfig().Host
			makeNamespace(testContext(t), t, c, "same-name")
		})
	}
	all.Wait()
	for i, host := range hosts {
		for _, other := range hosts[:i] {
			if host == other {
				t.Errorf("two listen on %s", host)
			}
		}
	}
}

func TestDataIsKept(t *testing.T) {
	ctx := testContext(t)
	dir := t.TempDir()
	first := start(t, controlplane.Options{Dir: dir, KeepData: true})
	makeNamespace(ctx, t, first, "kept")
	before := getKept(ctx, t, first)
	stop(t, first)
	second := start(t, controlplane.Options{Dir: dir, KeepData: true})
	if diff := cmp.Diff(before, getKept(ctx, t, second)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

// TestKilledEtcdReadsItsDirectory: with a data directory, a restart of etcd has the objects that a killed process has
// written, and no others.
func TestKilledEtcdReadsItsDirectory(t *testing.T) {
	ctx, dir := testContext(t), t.TempDir()
	c := start(t, controlplane.Options{Dir: dir, KeepData: true, NoControllers: true})
	makeNamespace(ctx, t, c, "kept")
	makeNamespace(ctx, t, c, "lost")
	before := getKept(ctx, t, c)
	if err := c.KillComponent(controlplane.Etcd); err != nil {
		t.Fatal(err)
	}
	removeLines(t, dir, `"/registry/namespaces/lost"`)
	if err := c.StartComponent(ctx, controlplane.Etcd); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, getKept(ctx, t, c)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
	if _, err := client(t, c).CoreV1().Namespaces().Get(ctx, "lost", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a namespace that is not in the directory: got %v, want NotFound", err)
	}
	makeNamespace(ctx, t, c, "lost")
}

// removeLines removes the last lines, from the first that contains a text, from the log of the objects in a directory.
func removeLines(t *testing.T, dir, text string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "objects-*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %q: %v", logs, err)
	}
	content, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, text) {
			break
		}
		kept = append(kept, line)
	}
	if err := os.WriteFile(logs[0], []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDataOfEtcdIsRejected(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "etcd", "member"), 0o700); err != nil {
		t.Fatal(err)
	}
	if c, err := embedded.Start(testContext(t), controlplane.Options{Dir: dir, KeepData: true}); err == nil {
		stop(t, c)
		t.Error("it starts without the objects in the directory")
	}
}

func TestComponentsRestart(t *testing.T) {
	for how, end := range map[string]func(context.Context, *embedded.ControlPlane, string) error{
		"Stop": func(ctx context.Context, c *embedded.ControlPlane, name string) error {
			return c.StopComponent(ctx, name)
		},
		"Kill": func(_ context.Context, c *embedded.ControlPlane, name string) error { return c.KillComponent(name) },
	} {
		t.Run(how, func(t *testing.T) {
			ctx := testContext(t)
			c := start(t, controlplane.Options{})
			makeNamespace(ctx, t, c, "before")
			kube := client(t, c)
			local := kubernetes.NewForConfigOrDie(c.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup))
			for _, name := range []string{controlplane.APIServer, controlplane.Etcd, controlplane.ControllerManager} {
				t.Run(name, func(t *testing.T) {
					if err := end(ctx, c, name); err != nil {
						t.Fatal(err)
					}
					if got := c.PID(name); got != 0 {
						t.Errorf("process ID %d after the end", got)
					}
					for where, kube := range map[string]kubernetes.Interface{"by the network": kube, "in the process": local} {
						_, err := kube.CoreV1().Namespaces().Get(ctx, "before", metav1.GetOptions{})
						if needed := name != controlplane.ControllerManager; (err != nil) != needed {
							t.Errorf("a read %s while it is down: got %v", where, err)
						}
					}
					if err := c.StartComponent(ctx, name); err != nil {
						t.Fatal(err)
					}
					for _, kube := range []kubernetes.Interface{kube, local} {
						if _, err := kube.CoreV1().Namespaces().Get(ctx, "before", metav1.GetOptions{}); err != nil {
							t.Errorf("afterwards: %v", err)
						}
					}
				})
			}
			// The controllers have survived it all.
			makeNamespace(ctx, t, c, "after")
			harness.Until(t, "the namespace has its default ServiceAccount", func(context.Context) (bool, error) {
				_, err := kube.CoreV1().ServiceAccounts("after").Get(ctx, "default", metav1.GetOptions{})
				return err == nil, nil
			})
			if err := c.StopComponent(ctx, "kube-scheduler"); !errors.Is(err, controlplane.ErrNoComponent) {
				t.Errorf("stop an unknown component: got %v", err)
			}
		})
	}
}

// TestTokenWithoutStorage: a client whose token is valid is told of the outage, and is not turned away.
func TestTokenWithoutStorage(t *testing.T) {
	ctx, c := testContext(t), start(t, controlplane.Options{})
	accounts := client(t, c).CoreV1().ServiceAccounts("kube-system")
	harness.Eventually(t, "the default ServiceAccount", func(ctx context.Context) error {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	issued, err := accounts.CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := rest.AnonymousClientConfig(c.AdminConfig())
	cfg.BearerToken = issued.Status.Token
	review := func() error {
		_, err := kubernetes.NewForConfigOrDie(cfg).AuthenticationV1().SelfSubjectReviews().Create(ctx,
			&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		return err
	}
	read := func() error {
		_, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		return err
	}
	if err := c.StopComponent(ctx, controlplane.Etcd); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(review(), ignoreForbidden(read())); err != nil {
		t.Errorf("without the storage: %v", err)
	}
	if err := c.StartComponent(ctx, controlplane.Etcd); err != nil {
		t.Fatal(err)
	}
	if err := accounts.Delete(ctx, "default", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the end of the token", func(context.Context) error {
		switch err := review(); {
		case err == nil:
			return errors.New("the token is valid")
		case !apierrors.IsUnauthorized(err):
			return fmt.Errorf("want Unauthorized: %w", err)
		}
		return nil
	})
}

// ignoreForbidden returns nil if a user is known, and has no right.
func ignoreForbidden(err error) error {
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

// TestWatchEndsWithServer has a client notice that its server is gone.
func TestWatchEndsWithServer(t *testing.T) {
	ctx := testContext(t)
	c := start(t, controlplane.Options{NoControllers: true})
	for name, cfg := range map[string]kubernetes.Interface{
		"Network": client(t, c), "InProcess": kubernetes.NewForConfigOrDie(c.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup)),
	} {
		t.Run(name, func(t *testing.T) {
			w, err := cfg.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			if err := c.KillComponent(controlplane.APIServer); err != nil {
				t.Fatal(err)
			}
			select {
			case _, open := <-w.ResultChan():
				if open {
					t.Error("the watch goes on")
				}
			case <-ctx.Done():
				t.Error("the watch does not end")
			}
			if err := c.StartComponent(ctx, controlplane.APIServer); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	t.Run("PortInUse", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "cp")
		_, err := embedded.Start(testContext(t), controlplane.Options{Dir: dir, APIServerPort: takenPort(t)})
		if _, ok := errors.AsType[*tcpport.Error](err); !ok || !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("the directory is there after the failed start: %v", err)
		}
	})
	t.Run("NotEmpty", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "thesis.txt")
		if err := os.WriteFile(file, []byte("chapter 1"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := embedded.Start(testContext(t), controlplane.Options{Dir: dir}); !errors.Is(err, controlplane.ErrDirNotEmpty) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("a file that is not the control plane's: %v", err)
		}
	})
	t.Run("InUse", func(t *testing.T) {
		dir := t.TempDir()
		start(t, controlplane.Options{Dir: dir, KeepData: true})
		_, err := embedded.Start(testContext(t), controlplane.Options{Dir: dir, KeepData: true})
		if !errors.Is(err, controlplane.ErrDirInUse) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("Cancelled", func(t *testing.T) {
		for _, name := range []string{"embedded API server", "embedded controllers"} {
			ctx, cancel := context.WithCancel(testContext(t))
			dir := filepath.Join(t.TempDir(), "cp")
			_, err := embedded.Start(ctx, controlplane.Options{Dir: dir, Phase: func(p controlplane.Phase) {
				if p.Name == name {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v", name, err)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s: the directory is there after the cancelled start: %v", name, err)
			}
		}
	})
}

// takenPort returns a port of this machine that is in use until the test ends.
func takenPort(t *testing.T) int {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	taken, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return int(taken.Port())
}

func client(tb testing.TB, c *embedded.ControlPlane) *kubernetes.Clientset {
	tb.Helper()
	return kubernetes.NewForConfigOrDie(c.AdminConfig())
}

func makeNamespace(ctx context.Context, tb testing.TB, c *embedded.ControlPlane, name string) {
	tb.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := client(tb, c).CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		tb.Error(err)
	}
}

// getKept returns the namespace that outlives its API server.
func getKept(ctx context.Context, tb testing.TB, c *embedded.ControlPlane) *corev1.Namespace {
	tb.Helper()
	namespace, err := client(tb, c).CoreV1().Namespaces().Get(ctx, "kept", metav1.GetOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return namespace
}
