package integration_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

func TestControlPlaneShared(t *testing.T) {
	c := controlplanetest.Start(t)
	if again := controlplanetest.Start(t); again != c {
		t.Errorf("two calls of Start returned two control planes")
	}
	if a, b := controlplanetest.Namespace(t), controlplanetest.Namespace(t); a == b {
		t.Errorf("two calls of Namespace returned %q", a)
	}
}
