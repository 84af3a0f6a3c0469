// Package binariestest gives tests the programs of a control plane: kube-apiserver, etcd and
// kube-controller-manager. Most tests need no programs, because the embedded control plane has the
// same behavior. The others test the programs themselves, or use kube-apiserver as the judge of the
// product.
package binariestest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// RequiredVariable is the environment variable that makes missing programs an error. CI sets it.
const RequiredVariable = "COSI_EMU_TEST_REQUIRE_PROGRAMS"

var local = sync.OnceValues(func() (binaries.Set, error) {
	return binaries.Find(context.Background(), binaries.Options{Local: true})
})

// Find returns the programs on this machine. Without them, it skips the test, or fails it if
// RequiredVariable is set. It never downloads or builds programs, which takes minutes.
func Find(tb testing.TB) binaries.Set {
	tb.Helper()
	set, err := local()
	unavailable, ok := errors.AsType[*binaries.UnavailableError](err)
	switch {
	case err == nil:
		return set
	case ok && os.Getenv(RequiredVariable) == "":
		tb.Skipf("kube-apiserver and etcd are not on this machine (%v); `make setup` gets them", unavailable.Err)
	default:
		tb.Fatalf("find the programs of the control plane: %v; `make setup` gets them", err)
	}
	panic("unreachable")
}
