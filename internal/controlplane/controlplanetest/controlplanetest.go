package controlplanetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/failurelog"
)

// startTimeout is the time limit for the start, and for the stop.
const startTimeout = 5 * time.Minute

// Variable is the environment variable that selects the kind of the control plane. It defaults to
// embedded: the differential tests prove that it behaves like kube-apiserver, and it starts in a
// fraction of the time.
const Variable = "COSI_EMU_TEST_CONTROL_PLANE"

var shared = map[objectstorage.Version]func() (controlplane.ControlPlane, error){
	objectstorage.V1alpha1: sync.OnceValues(func() (controlplane.ControlPlane, error) { return start(objectstorage.V1alpha1) }),
	objectstorage.V1alpha2: sync.OnceValues(func() (controlplane.ControlPlane, error) { return start(objectstorage.V1alpha2) }),
}

// Start returns the control plane of the test binary, with the COSI kinds, and with the controllers
// of kube-controller-manager if it is available. The first call starts it. If the start failed,
// every call fails its test. If a test fails, the last lines of the components' logs are kept in
// files, whose paths are logged.
//
// The goroutines of the control plane stay: a test for leaked goroutines calls Start before
// goleak.IgnoreCurrent.
func Start(tb testing.TB) controlplane.ControlPlane {
	tb.Helper()
	return StartVersion(tb, objectstorage.V1alpha2)
}

// StartVersion is Start with the COSI kinds of a version. Each version has a control plane of its
// own.
func StartVersion(tb testing.TB, version objectstorage.Version) controlplane.ControlPlane {
	tb.Helper()
	c, err := Shared(version)
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

// Shared is Start for callers without a test, with the COSI kinds of a version; empty means v1alpha2.
// They report the error.
func Shared(version objectstorage.Version) (controlplane.ControlPlane, error) {
	return shared[cmp.Or(version, objectstorage.V1alpha2)]()
}

func start(version objectstorage.Version) (controlplane.ControlPlane, error) {
	chosen, err := Kind()
	if err != nil {
		return nil, err
	}
	choose := func() (selection.Choice, error) { return selection.Local(context.Background()) }
	if chosen != kind.Envtest {
		choose = func() (selection.Choice, error) {
			return selection.Choose(context.Background(), chosen, binaries.Options{Local: true})
		}
	}
	choice, err := choose()
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
	if choice.Kind == kind.Embedded { // the watchdog of the programs needs the directory to end them
		if err := removeAtExit(dir); err != nil {
			return nil, err
		}
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

// Kind returns the kind of the control plane of the tests.
func Kind() (kind.Kind, error) {
	chosen, err := kind.Parse(cmp.Or(os.Getenv(Variable), string(kind.Embedded)))
	if err != nil {
		return "", fmt.Errorf("%s: %w", Variable, err)
	}
	return chosen, nil
}

// StartKind starts a control plane of a kind for one test, and stops it when the test ends. If its
// programs are not on this machine, the test is skipped.
func StartKind(tb testing.TB, chosen kind.Kind, opts controlplane.Options) controlplane.ControlPlane {
	tb.Helper()
	choice := selection.Choice{Kind: chosen}
	if chosen != kind.Embedded {
		choice = selection.Choice{Kind: kind.Envtest, Binaries: binariestest.Find(tb)}
	}
	if opts.Dir == "" {
		opts.Dir = filepath.Join(tb.TempDir(), "plane")
	}
	ctx, cancel := context.WithTimeout(tb.Context(), startTimeout)
	defer cancel()
	plane, err := choice.Start(ctx, opts)
	if err != nil {
		tb.Fatalf("start a control plane: %v", describe(err))
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		if err := plane.Stop(ctx); err != nil {
			tb.Errorf("stop the control plane: %v", err)
		}
	})
	return plane
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
