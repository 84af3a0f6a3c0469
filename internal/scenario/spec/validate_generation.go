package spec

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// validateGeneration finds fields that the version of the COSI kinds does not have.
func (d *decoder) validateGeneration(s *Scenario) {
	d.oneOf(s.Setup.Position, "api", []string{string(s.API())}, string(objectstorage.V1alpha1), string(objectstorage.V1alpha2))
	if s.API() != objectstorage.V1alpha1 {
		for _, class := range s.Setup.AccessClasses {
			if class.AuthenticationType == "IAM" {
				d.fail(class.Position, "authenticationType IAM is of v1alpha1: use ServiceAccount, or setup.api: v1alpha1")
			}
		}
		return
	}
	for _, driver := range s.Setup.Drivers {
		if driver.MultiBucket != nil || len(driver.AccessModes) > 0 {
			d.fail(driver.Position, "multiBucket and accessModes of a driver are of v1alpha2: v1alpha1 has neither")
		}
		if slices.Contains(driver.Protocols, "GCS") {
			d.fail(driver.Position, "protocol GCS of a driver is of v1alpha2: v1alpha1 has no credentials for it")
		}
	}
	for _, class := range s.Setup.AccessClasses {
		if class.MultiBucketAccess != "" || class.DisallowedModes != nil {
			d.fail(class.Position, "multiBucketAccess and disallowedBucketAccessModes are of v1alpha2: v1alpha1 has neither")
		}
		if class.AuthenticationType == "ServiceAccount" {
			d.fail(class.Position, "authenticationType ServiceAccount is of v1alpha2: use IAM")
		}
	}
}
