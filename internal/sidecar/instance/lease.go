package instance

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// LeaseName returns the name of the Lease by which the sidecars of a driver elect a leader. Drivers
// whose names differ by letter case only are the same.
func LeaseName(driverName string) string { return "cosi-sidecar-leader-" + strings.ToLower(driverName) }

// Labels of the Lease, by which sidecars whose drivers have the same name recognize the same
// driver. The group stays on the Lease when no sidecar runs. Only driverGroup writes it: an
// election would write it again after another group has taken over.
const (
	labelGroup     = "objectstorage.k8s.io/driver-group"
	labelProtocols = "objectstorage.k8s.io/driver-protocols"
	// labelNamespaces has the namespaces that the leader serves. It is empty for all.
	labelNamespaces = "objectstorage.k8s.io/driver-namespaces"
)

// LeaseLabels have the protocols of the leader's driver.
func LeaseLabels[protocol ~string](protocols []protocol) map[string]string {
	names := make([]string, 0, len(protocols))
	for _, p := range protocols {
		names = append(names, string(p))
	}
	return map[string]string{labelProtocols: strings.Join(names, ".")}
}

// namespacesLabel returns the value of labelNamespaces: the names, or their digest if they are too long for a label.
func namespacesLabel(namespaces watched.Namespaces) string {
	value := strings.Join(namespaces.Names(), ".")
	if len(value) > validation.LabelValueMaxLength {
		return fmt.Sprintf("%x", sha256.Sum224([]byte(value)))
	}
	return value
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
