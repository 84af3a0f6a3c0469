package adminapi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

func serve(t *testing.T) (*adminapi.Client, string, *fault.Set) {
	t.Helper()
	faults := fault.NewSet()
	socket := filepath.Join(t.TempDir(), "run", "s")
	s, err := adminapi.Listen(t.Context(), socket, faults, func(context.Context) (string, error) {
		return "http://127.0.0.1:1/token/", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left: %v", err)
		}
	})
	return adminapi.NewClient(socket), socket, faults
}

func TestFaults(t *testing.T) {
	c, socket, faults := serve(t)
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: only the owner may use it", info.Mode(), err)
	}
	f := fault.Fault{
		Name: "no/bucket", Match: fault.Match{Seam: journal.SeamRPC, Operation: "DriverCreateBucket"}, Effect: fault.Effect{Fail: "Unavailable"},
	}
	other := f
	other.Name = "other"
	if err := errors.Join(c.AddFault(t.Context(), f), c.AddFault(t.Context(), other)); err != nil {
		t.Fatal(err)
	}
	listed, err := c.Faults(t.Context())
	if diff := cmp.Diff(faults.List(), listed); diff != "" || err != nil || len(listed) != 2 {
		t.Errorf("%v -want, +got:\n%s", err, diff)
	}
	expectRejections(t, c, f)
	if url, err := c.OpenPage(t.Context()); err != nil || url != "http://127.0.0.1:1/token/" {
		t.Errorf("OpenPage() = %q, %v", url, err)
	}
	if err := c.ClearFaults(t.Context()); err != nil || len(faults.List()) != 0 {
		t.Errorf("%v, left %v", err, faults.List())
	}
}

// expectRejections sends invalid requests while a fault is active.
func expectRejections(t *testing.T, c *adminapi.Client, f fault.Fault) {
	t.Helper()
	if err := c.AddFault(t.Context(), f); !errors.Is(err, fault.ErrDuplicate) || !strings.Contains(err.Error(), "no/bucket") {
		t.Errorf("added again: %v", err)
	}
	if err := c.AddFault(t.Context(), fault.Fault{Name: "x"}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a fault that cannot be: %v", err)
	}
	if err := c.RemoveFault(t.Context(), f.Name); err != nil {
		t.Error(err)
	}
	if err := c.RemoveFault(t.Context(), f.Name); !errors.Is(err, fault.ErrUnknown) {
		t.Errorf("removed again: %v", err)
	}
}

func TestClientWithoutServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	if _, err := adminapi.NewClient(socket).Faults(t.Context()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), socket) {
		t.Errorf("%v: it must say which socket is not there", err)
	}
}
