package driveridentity

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func TestRestarted(t *testing.T) {
	first := Identity{Name: "a.test", Version: objectstorage.V1alpha2, Dialect: dialects.KEP}
	for name, tc := range map[string]struct {
		reason  string
		change  func(*Identity)
		bridged bool
		want    bool
	}{
		"Same":           {"A restart changes nothing.", func(*Identity) {}, false, true},
		"Dialect":        {"The dialects of a version have the same IDs.", func(i *Identity) { i.Dialect = dialects.OneMode }, false, true},
		"Version":        {"The IDs of the version would be lost.", func(i *Identity) { i.Version = objectstorage.V1alpha1 }, false, false},
		"VersionBridged": {"A bridge stores the IDs.", func(i *Identity) { i.Version = objectstorage.V1alpha1 }, true, true},
		"Name":           {"Objects refer to the name.", func(i *Identity) { i.Name = "b.test" }, true, false},
	} {
		var r Restarted
		if err := r.Set(first, tc.bridged); err != nil {
			t.Fatal(err)
		}
		next := first
		tc.change(&next)
		err := r.Set(next, tc.bridged)
		if (err == nil) != tc.want {
			t.Errorf("%s: %s Set() = %v", name, tc.reason, err)
		}
		if kept := r.Get() == next; kept != tc.want {
			t.Errorf("%s: %s Get() = %v", name, tc.reason, r.Get())
		}
	}
}
