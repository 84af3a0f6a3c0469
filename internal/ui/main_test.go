package ui_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/session"
	"github.com/cosi-emu/cosi-emu/internal/ui"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

const (
	namespace   = "demo"
	sessionName = "shown"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	leaks.Main(m)
}

type stage struct {
	session *session.Session
	emu     *emulator.Emulator
	url     string
}

// start starts an emulator on the embedded control plane, like `cosi-emu up --ui`.
func start(t *testing.T, opts emulator.Options) *stage {
	t.Helper()
	opts.ControlPlaneKind = emulator.ControlPlaneEmbedded
	home := os.Getenv("XDG_STATE_HOME")
	if err := os.Setenv("XDG_STATE_HOME", t.TempDir()); err != nil { //nolint:usetesting // scenarios are parallel, which Setenv rejects
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Setenv("XDG_STATE_HOME", home) }) //nolint:usetesting // it is as before
	ctx, cancel := context.WithTimeout(t.Context(), harness.Timeout)
	defer cancel()
	running, err := session.Start(ctx, session.Options{
		Name: sessionName, Version: "v1", ShowPage: true, Emulator: opts,
		NewPage: func(ctx context.Context, emu *emulator.Emulator, faults adminapi.Faults) (session.Page, error) {
			return ui.Start(ctx, ui.Options{Emulator: emu, Faults: faults, Name: sessionName, Version: "v1"})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
		defer cancel()
		if err := running.Stop(ctx); err != nil {
			t.Errorf("stop the session: %v", err)
		}
	})
	s := &stage{session: running, emu: running.Emulator(), url: running.Info().UI}
	s.makeNamespace(t, namespace)
	return s
}

func (s *stage) makeNamespace(t *testing.T, name string) {
	t.Helper()
	if err := s.emu.Client().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// answer is the server's answer to a request.
type answer struct {
	code   int
	header http.Header
	body   string
}

// send sends a request, after a change of it.
func send(t *testing.T, method, url string, change func(*http.Request)) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(request)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}
