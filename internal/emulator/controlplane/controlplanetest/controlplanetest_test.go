package controlplanetest

import (
	"testing"
)

func TestStart(t *testing.T) {
	c := Start(t)
	if again := Start(t); again != c {
		t.Errorf("two calls of Start returned two control planes")
	}
	if a, b := Namespace(t), Namespace(t); a == b {
		t.Errorf("two calls of Namespace returned %q", a)
	}
}
