package controlplanetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/emulator/failurelog"
)

// startTimeout is the time limit for the start. The first use on a machine may build
// the programs before; only the test binary's timeout limits that.
const startTimeout = 2 * time.Minute

// Variable is the environment variable that selects the kind of the control plane; empty
// means the one of Prefer.
const Variable = "COSI_EMU_TEST_CONTROL_PLANE"

// preferred is the kind unless Variable selects another.
var preferred = selection.Auto

// Prefer selects the kind of the control plane of a test binary, unless Variable does. It
// is for the TestMain of packages whose tests are not about what an API server does.
func Prefer(kind selection.Kind) { preferred = kind }

var shared = map[objectstorage.Version]func() (controlplane.ControlPlane, error){
	objectstorage.V1alpha1: sync.OnceValues(func() (controlplane.ControlPlane, error) { return start(objectstorage.V1alpha1) }),
	objectstorage.V1alpha2: sync.OnceValues(func() (controlplane.ControlPlane, error) { return start(objectstorage.V1alpha2) }),
}

// Start returns the control plane of the test binary, with the COSI kinds, and with
// the controllers of kube-controller-manager if it is available. The first call starts
// it. If the start failed, every call fails its test. If a test fails, the last lines
// of the components' logs are kept in files, whose paths are logged.
//
// The goroutines of the control plane stay: a test for leaked goroutines calls Start
// before goleak.IgnoreCurrent.
func Start(tb testing.TB) controlplane.ControlPlane {
	tb.Helper()
	return StartVersion(tb, objectstorage.V1alpha2)
}

// StartVersion is Start with the COSI kinds of a version. The versions have a control plane each.
func StartVersion(tb testing.TB, version objectstorage.Version) controlplane.ControlPlane {
	tb.Helper()
	c, err := SharedVersion(version)
	if err != nil {
		tb.Fatalf("start a control plane for the tests: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			logTails(tb, c)
		}
	})
	return c
}

// Shared is Start for callers without a test; they report the error.
func Shared() (controlplane.ControlPlane, error) { return SharedVersion(objectstorage.V1alpha2) }

// SharedVersion is Shared with the COSI kinds of a version; empty means v1alpha2.
func SharedVersion(version objectstorage.Version) (controlplane.ControlPlane, error) {
	return shared[cmp.Or(version, objectstorage.V1alpha2)]()
}

func start(version objectstorage.Version) (controlplane.ControlPlane, error) {
	kind, err := selection.ParseKind(cmp.Or(os.Getenv(Variable), string(preferred)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Variable, err)
	}
	choice, err := selection.Choose(context.Background(), kind, binaries.Options{Progress: tell})
	if err != nil {
		return nil, err
	}
	if choice.Notice != "" {
		fmt.Fprintln(os.Stderr, choice.Notice)
	}
	kinds, err := crds.For(version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cosi-emu-test-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	c, err := choice.Start(ctx, controlplane.Options{Dir: dir, CRDs: kinds})
	if err != nil {
		return nil, describe(err)
	}
	err = c.WaitReady(ctx)
	return c, err
}

// tell writes to standard error, because the log of a test appears only at its end,
// and a build takes minutes.
func tell(u binaries.Update) {
	if u.Phase == binaries.Note || int(u.Elapsed.Seconds())%15 == 0 {
		fmt.Fprintln(os.Stderr, u.Phase, u.Item, u.Message)
	}
}

func logTails(tb testing.TB, c controlplane.ControlPlane) {
	tb.Helper()
	for _, process := range c.Processes() {
		failurelog.Keep(tb, process.Name, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(controlplane.LogTail(process.LogFile), "\n")+"\n")
			return err
		})
	}
}

func describe(err error) error {
	failed, ok := errors.AsType[*controlplane.StartError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(failed.LogTail, "\n"))
}
