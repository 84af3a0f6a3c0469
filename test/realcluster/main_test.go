package realcluster_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/test/realcluster"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // its complaint that there is none would be the only output
	if realcluster.InKind() || realcluster.Missing() != "" {
		os.Exit(m.Run()) // in the network of this machine, or each test is skipped with the reason
	}
	logs, err := filepath.Abs("../../bin/realcluster/logs")
	if err != nil {
		panic(err)
	}
	os.Exit(isolation.Run(m.Run, logs))
}
