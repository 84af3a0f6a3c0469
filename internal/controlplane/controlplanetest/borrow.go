package controlplanetest

import (
	"cmp"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// lender has the control planes of the test binary that have one user at a time.
var lender = struct {
	mu       sync.Mutex
	free     map[objectstorage.Version][]controlplane.ControlPlane // those that wait for a user
	borrowed map[string]controlplane.ControlPlane                  // by the name of the test
}{
	free:     map[objectstorage.Version][]controlplane.ControlPlane{},
	borrowed: map[string]controlplane.ControlPlane{},
}

// Lend returns a control plane like Shared's for a user that needs it for itself. The caller calls giveBack once, when the
// objects of COSI are gone; until then, another caller gets another control plane. None waits for another: who waits for
// its turn in a test would hold a place for which the parts of the other test may wait. Shared's is not lent: its users
// leave objects, such as classes of another driver.
func Lend(version objectstorage.Version) (plane controlplane.ControlPlane, giveBack func(), err error) {
	version = cmp.Or(version, objectstorage.V1alpha2)
	lender.mu.Lock()
	if free := lender.free[version]; len(free) > 0 {
		plane, lender.free[version] = free[len(free)-1], free[:len(free)-1]
	}
	lender.mu.Unlock()
	if plane == nil {
		plane, err = start(version)
	}
	return plane, func() {
		lender.mu.Lock()
		defer lender.mu.Unlock()
		lender.free[version] = append(lender.free[version], plane)
	}, err
}

// Borrow is Lend for a test, until the test ends.
func Borrow(tb testing.TB, version objectstorage.Version) controlplane.ControlPlane {
	tb.Helper()
	plane, giveBack, err := Lend(version)
	if err != nil {
		tb.Fatalf("start a control plane for the test: %v", err)
	}
	lender.mu.Lock()
	defer lender.mu.Unlock()
	lender.borrowed[tb.Name()] = plane
	tb.Cleanup(func() {
		if tb.Failed() {
			logTails(tb, plane)
		}
		lender.mu.Lock()
		delete(lender.borrowed, tb.Name())
		lender.mu.Unlock()
		giveBack()
	})
	return plane
}

// Borrowed returns the control plane that the test has borrowed last, or a test of which it is a part, or nil.
func Borrowed(tb testing.TB) controlplane.ControlPlane {
	tb.Helper()
	lender.mu.Lock()
	defer lender.mu.Unlock()
	for name := tb.Name(); ; {
		plane := lender.borrowed[name]
		i := strings.LastIndexByte(name, '/')
		if plane != nil || i < 0 {
			return plane
		}
		name = name[:i]
	}
}
