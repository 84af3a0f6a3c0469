package sidecar_test

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// An unknown set of keys would leave an application without any.
func TestInvalidSecretKeys(t *testing.T) {
	options := cosisidecar.Options{Endpoint: drivertest.Endpoint, SecretKeys: []v1alpha2.SecretKeySet{v1alpha2.SecretKeysKEP, "KEP"}}
	if err := options.Validate(); err == nil || !strings.Contains(err.Error(), `"KEP"`) {
		t.Errorf("error %v", err)
	}
	options.SecretKeys = options.SecretKeys[:1]
	if err := options.Validate(); err != nil {
		t.Error(err)
	}
	_, err := sidecarv1alpha1.New(t.Context(), nil, options)
	if err == nil || !strings.Contains(err.Error(), "BucketInfo") {
		t.Errorf("v1alpha1: error %v", err)
	}
}

// A group that the Lease cannot have as a label is rejected at the start: otherwise nothing would
// ever show who owns the driver's name.
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
