package sidecar

import (
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// LeaseName returns the name of the Lease by which the sidecars of a driver elect a
// leader.
func LeaseName(driverName string) string { return "cosi-sidecar-leader-" + driverName }

// Labels of the Lease. They tell sidecars whose drivers have the same name whether
// they serve the same driver. The group stays on the Lease when no sidecar runs. Only
// driverGroup writes it: an election would write it again after it was taken over.
const (
	labelGroup     = "objectstorage.k8s.io/driver-group"
	labelProtocols = "objectstorage.k8s.io/driver-protocols"
)

// leaseLabels are what a leader says about its driver.
func leaseLabels(d *driver.Driver) map[string]string {
	protocols := make([]string, 0, len(d.Protocols()))
	for _, p := range d.Protocols() {
		protocols = append(protocols, string(p))
	}
	return map[string]string{labelProtocols: strings.Join(protocols, ".")}
}

// isHeld reports whether the Lease has a holder that has renewed it in time.
func isHeld(lease *coordinationv1.Lease, now time.Time) bool {
	spec := lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" || spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return false
	}
	return now.Before(spec.RenewTime.Add(time.Duration(*spec.LeaseDurationSeconds) * time.Second))
}

// electionLease selects the Lease of a driver.
func electionLease(driverName, namespace string) cache.ByObject {
	return cache.ByObject{
		Namespaces: map[string]cache.Config{namespace: {}},
		Field:      fields.OneTermEqualSelector("metadata.name", LeaseName(driverName)),
	}
}
