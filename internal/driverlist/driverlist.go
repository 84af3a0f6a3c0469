// Package driverlist lists the drivers of a cluster or of an emulator: the owners of their names, the sidecars that serve them, and their
// health.
package driverlist

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/cosi-emu/cosi-emu/emulator/description"
)

// Health is a driver's health, as far as this program can ask for it.
type Health string

// The values of Health.
const (
	Serving    Health = "Serving"
	NotServing Health = "NotServing"
	// Unknown: only the driver's sidecar can reach it.
	Unknown Health = "Unknown"
)

// Driver is one driver, by its name.
type Driver struct {
	Name   string `json:"name"`
	Health Health `json:"health"`
	// Message is the cause of NotServing.
	Message string `json:"message,omitempty"`
	// Protocols are the supported ones, by the driver or by the Lease of its sidecar.
	Protocols []string `json:"protocols,omitempty"`
	// Sidecar is the holder of the Lease, or else the emulator's component; empty if none serves the driver.
	Sidecar string `json:"sidecar,omitempty"`
	// Lease is the namespace and name of the Lease; empty without one.
	Lease string `json:"lease,omitempty"`
	// Group is the owner of the name by the Lease.
	Group string `json:"group,omitempty"`
	// Classes name the driver, as kind/name.
	Classes []string `json:"classes,omitempty"`
}

// Sources are the places where drivers are found.
type Sources struct {
	Leases []coordinationv1.Lease
	// Classes are the classes by the name of their driver, as kind/name.
	Classes map[string][]string
	// Emulator is nil for a cluster.
	Emulator *description.Info
	// Answer is the answer of the emulator's own driver.
	Answer Answer
	Now    time.Time
}

// List returns the drivers by their names. Letter case does not distinguish drivers.
func List(s Sources) []Driver {
	found := map[string]*Driver{}
	driver := func(name string) *Driver {
		key := strings.ToLower(name)
		if found[key] == nil {
			found[key] = &Driver{Name: name, Health: Unknown}
		}
		return found[key]
	}
	if s.Emulator != nil {
		addEmulator(s, driver)
	}
	for i := range s.Leases {
		addLease(driver(NameOf(&s.Leases[i])), &s.Leases[i], s.Now)
	}
	for name, classes := range s.Classes {
		d := driver(name)
		d.Classes = append(d.Classes, classes...)
		slices.Sort(d.Classes)
	}
	drivers := make([]Driver, 0, len(found))
	for _, key := range slices.Sorted(maps.Keys(found)) {
		drivers = append(drivers, *found[key])
	}
	return drivers
}

func addEmulator(s Sources, driver func(name string) *Driver) {
	for _, c := range s.Emulator.Components {
		if c.Driver != "" && c.State == description.StateRunning {
			driver(c.Driver).Sidecar = c.Name
		}
	}
	if name := cmp.Or(s.Emulator.DriverName, s.Answer.Name); name != "" {
		d := driver(name)
		d.Health, d.Message, d.Protocols = s.Answer.Health, s.Answer.Message, s.Answer.Protocols
	}
}

func addLease(d *Driver, lease *coordinationv1.Lease, now time.Time) {
	d.Lease, d.Group = lease.Namespace+"/"+lease.Name, lease.Labels[labelGroup]
	if IsHeld(lease, now) {
		d.Sidecar = ptr.Deref(lease.Spec.HolderIdentity, "")
	}
	if protocols := lease.Labels[labelProtocols]; protocols != "" && len(d.Protocols) == 0 {
		d.Protocols = strings.Split(protocols, ".")
	}
}
