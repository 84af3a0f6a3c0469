package sidecar_test

import (
	"strings"
	"testing"

	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// A group that the Lease cannot have as a label is rejected at the start: nothing would
// ever say whose the driver's name is.
func TestInvalidGroups(t *testing.T) {
	for name, options := range map[string]cosisidecar.Options{
		"driver group":            {DriverGroup: "team a/prod"},
		"group to take over from": {TakeOver: strings.Repeat("x", 64)},
	} {
		options.Endpoint = drivertest.Endpoint
		if err := options.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := cosisidecar.New(t.Context(), nil, options); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New: %s: error %v", name, err)
		}
	}
	valid := cosisidecar.Options{Endpoint: drivertest.Endpoint, DriverGroup: "team-a.prod", TakeOver: "team-b"}
	if err := valid.Validate(); err != nil {
		t.Error(err)
	}
}
