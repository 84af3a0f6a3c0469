package compatibility_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/release"
	"github.com/cosi-emu/cosi-emu/internal/snapshot/compatibility"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// minor returns the running release of Kubernetes with another minor version.
func minor(t *testing.T, difference int) string {
	t.Helper()
	running, err := version.ParseGeneric(release.Version())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("v%d.%d.9", running.Major(), int(running.Minor())+difference)
}

func TestCheck(t *testing.T) {
	tests := map[string]struct {
		reason string
		wanted compatibility.Wanted
		change func(*description.SnapshotInfo)
		want   string // "" for a snapshot that the emulator can start from
	}{
		"Default": {reason: "The snapshot decides."},
		"Same": {reason: "It is the same.", wanted: compatibility.Wanted{
			API: objectstorage.V1alpha2, ControlPlane: "embedded", Dialect: dialects.KEP,
			Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS, fakedriver.ProtocolS3},
		}},
		"Auto":     {reason: "The snapshot's is chosen.", wanted: compatibility.Wanted{ControlPlane: "auto"}},
		"Version":  {"The objects are of another version.", compatibility.Wanted{API: objectstorage.V1alpha1}, nil, "kinds of v1alpha2"},
		"Plane":    {"The files differ.", compatibility.Wanted{ControlPlane: "envtest"}, nil, "choose control plane embedded"},
		"Programs": {"The control plane has none.", compatibility.Wanted{ControlPlaneDir: "/bin"}, nil, "uses no programs"},
		"Dialect":  {"The recorded IDs are of another protocol.", compatibility.Wanted{Dialect: dialects.V1alpha1}, nil, "leave the dialect out"},
		"TLS":      {"Secrets have http.", compatibility.Wanted{TLS: true}, nil, "start without TLS"},
		"NoTLS":    {reason: "TLS is the snapshot's.", change: func(info *description.SnapshotInfo) { info.TLS = true }},
		"Protocols": {
			"Buckets have it.", compatibility.Wanted{Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}}, nil, "protocol S3; add that",
		},
		"Later": {
			"An earlier API server may not understand the objects.", compatibility.Wanted{},
			func(info *description.SnapshotInfo) { info.Kubernetes = minor(t, 1) }, "or a later one",
		},
		"Earlier": {reason: "Later ones do.", change: func(info *description.SnapshotInfo) { info.Kubernetes = minor(t, -1) }},
		"Malformed": {
			"It is no version.", compatibility.Wanted{}, func(info *description.SnapshotInfo) { info.Kubernetes = "x" }, "its release of Kubernetes",
		},
		"OwnPrograms": {
			reason: "Their release is unknown.", wanted: compatibility.Wanted{ControlPlaneDir: "/bin"},
			change: func(info *description.SnapshotInfo) { info.ControlPlane, info.Kubernetes = "envtest", minor(t, 1) },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			info := description.SnapshotInfo{
				API: objectstorage.V1alpha2, ControlPlane: "embedded", Kubernetes: minor(t, 0), Dialect: dialects.KEP,
				Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3},
			}
			if tc.change != nil {
				tc.change(&info)
			}
			err := tc.wanted.Check(info)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
