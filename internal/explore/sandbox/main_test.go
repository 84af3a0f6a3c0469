package sandbox

import (
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	leaks.Main(m)
}
