package controlplane

import "testing"

// TestReservedPort checks that a port is not chosen twice before its component listens.
func TestReservedPort(t *testing.T) {
	first, err := reservePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckPort(t.Context(), first.port); err != nil {
		t.Errorf("a component cannot listen on the port that is reserved for it: %v", err)
	}
	if second, err := reserve(t.Context(), first.port); err == nil {
		t.Errorf("port %d is reserved twice", second.port)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := reserve(t.Context(), first.port)
	if err != nil {
		t.Fatalf("the port is not free after its reservation: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
