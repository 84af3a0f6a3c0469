package embedded_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

func TestStartAndStopLeaveNothing(t *testing.T) {
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cp")
	var phases []controlplane.Phase
	c := start(t, controlplane.Options{Dir: dir, CRDs: kinds, Phase: func(p controlplane.Phase) {
		t.Log(p.Name, p.Done, p.Elapsed)
		p.Elapsed = 0
		phases = append(phases, p)
	}})
	want := []controlplane.Phase{
		{Name: "etcd"}, {Name: "etcd", Done: true},
		{Name: "kube-apiserver"}, {Name: "kube-apiserver", Done: true},
		{Name: "crds"}, {Name: "crds", Done: true},
		{Name: "kube-controller-manager"}, {Name: "kube-controller-manager", Done: true},
	}
	if diff := cmp.Diff(want, phases); diff != "" {
		t.Errorf("phases: -want +got\n%s", diff)
	}
	began := time.Now()
	if err := c.WaitReady(testContext(t)); err != nil {
		t.Error(err)
	}
	t.Log("controllers", time.Since(began))
	began = time.Now()
	stop(t, c)
	stop(t, c)
	t.Log("stopped", time.Since(began))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is there after Stop: %v", err)
	}
}
