package driverlist

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LeasePrefix is the beginning of the names of the Leases of sidecars, followed by the driver's name in lower case.
const LeasePrefix = "cosi-sidecar-leader-"

// The labels of these Leases.
const (
	labelGroup     = "objectstorage.k8s.io/driver-group"
	labelProtocols = "objectstorage.k8s.io/driver-protocols"
)

// ReadLeases returns the Leases of all sidecars in a cluster.
func ReadLeases(ctx context.Context, from client.Reader) ([]coordinationv1.Lease, error) {
	var leases coordinationv1.LeaseList
	if err := from.List(ctx, &leases); err != nil {
		return nil, fmt.Errorf("list Leases: %w", err)
	}
	return slices.DeleteFunc(leases.Items, func(lease coordinationv1.Lease) bool {
		return !strings.HasPrefix(lease.Name, LeasePrefix)
	}), nil
}

// NameOf returns the name of a Lease's driver, in lower case.
func NameOf(lease *coordinationv1.Lease) string { return strings.TrimPrefix(lease.Name, LeasePrefix) }

// IsHeld reports whether a Lease has a holder that has renewed it in time.
func IsHeld(lease *coordinationv1.Lease, now time.Time) bool {
	lasts := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
	renewed := ptr.Deref(lease.Spec.RenewTime, metav1.MicroTime{}).Time
	return ptr.Deref(lease.Spec.HolderIdentity, "") != "" && now.Before(renewed.Add(lasts))
}
