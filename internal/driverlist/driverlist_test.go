package driverlist_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/driverlist"
)

var now = time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)

// lease returns the Lease of a driver, which pod-1 has renewed.
func lease(of string, renewed time.Time, labels map[string]string) coordinationv1.Lease {
	lease := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "cosi-system", Name: driverlist.LeasePrefix + of, Labels: labels}}
	holder := "pod-1"
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = &holder, new(int32(10))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: renewed}
	return lease
}

func ofGroup(group, protocols string) map[string]string {
	return map[string]string{"objectstorage.k8s.io/driver-group": group, "objectstorage.k8s.io/driver-protocols": protocols}
}

// Design: P20-NAME-8
func TestList(t *testing.T) {
	emulator := &description.Info{
		DriverName: "fake.cosi-emu",
		Components: []description.ComponentInfo{
			{Name: "store", State: description.StateRunning},
			{Name: "sidecar", State: description.StateRunning, Driver: "fake.cosi-emu"},
			{Name: "sidecar-2", State: description.StateCrashed, Driver: "second.test"},
		},
	}
	tests := []struct {
		name, reason string
		given        driverlist.Sources
		want         []driverlist.Driver
	}{
		{name: "nothing", reason: "the list is empty, and not null in JSON", want: []driverlist.Driver{}},
		{
			"Lease that is held", "its holder serves the driver",
			driverlist.Sources{Leases: []coordinationv1.Lease{lease("a.test", now, ofGroup("team-a", "GCS.S3"))}},
			[]driverlist.Driver{{
				Name: "a.test", Health: driverlist.Unknown, Protocols: []string{"GCS", "S3"}, Sidecar: "pod-1",
				Lease: "cosi-system/cosi-sidecar-leader-a.test", Group: "team-a",
			}},
		},
		{
			"Lease that has expired", "no sidecar runs, and the name still belongs to the group",
			driverlist.Sources{Leases: []coordinationv1.Lease{lease("a.test", now.Add(-time.Minute), ofGroup("team-a", ""))}},
			[]driverlist.Driver{{
				Name: "a.test", Health: driverlist.Unknown, Lease: "cosi-system/cosi-sidecar-leader-a.test", Group: "team-a",
			}},
		},
		{
			"classes", "they show a driver that nothing serves, by their spelling",
			driverlist.Sources{Classes: map[string][]string{"Lost.test": {"BucketClass/b", "BucketAccessClass/a"}}},
			[]driverlist.Driver{{Name: "Lost.test", Health: driverlist.Unknown, Classes: []string{"BucketAccessClass/a", "BucketClass/b"}}},
		},
		{
			"letter case", "drivers whose names differ by letter case only are the same",
			driverlist.Sources{
				Leases:  []coordinationv1.Lease{lease("a.test", now, nil)},
				Classes: map[string][]string{"A.test": {"BucketClass/b"}},
			},
			[]driverlist.Driver{{
				Name: "a.test", Health: driverlist.Unknown, Sidecar: "pod-1", Lease: "cosi-system/cosi-sidecar-leader-a.test",
				Classes: []string{"BucketClass/b"},
			}},
		},
		{
			"emulator", "components serve drivers; a component that does not run serves none, and has no other trace",
			driverlist.Sources{
				Emulator: emulator, Answer: driverlist.Answer{Name: "fake.cosi-emu", Health: driverlist.Serving, Protocols: []string{"S3"}},
				Classes: map[string][]string{"second.test": {"BucketClass/b"}},
			},
			[]driverlist.Driver{
				{Name: "fake.cosi-emu", Health: driverlist.Serving, Protocols: []string{"S3"}, Sidecar: "sidecar"},
				{Name: "second.test", Health: driverlist.Unknown, Classes: []string{"BucketClass/b"}},
			},
		},
		{
			"emulator whose driver is away", "the cause is reported, and the Lease has the protocols",
			driverlist.Sources{
				Emulator: emulator, Answer: driverlist.Answer{Health: driverlist.NotServing, Message: "connection refused"},
				Leases: []coordinationv1.Lease{lease("fake.cosi-emu", now, ofGroup("cosi-emu", "S3"))},
			},
			[]driverlist.Driver{{
				Name: "fake.cosi-emu", Health: driverlist.NotServing, Message: "connection refused", Protocols: []string{"S3"}, Sidecar: "pod-1",
				Lease: "cosi-system/cosi-sidecar-leader-fake.cosi-emu", Group: "cosi-emu",
			}},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.given.Now = now
			if diff := cmp.Diff(tc.want, driverlist.List(tc.given)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
