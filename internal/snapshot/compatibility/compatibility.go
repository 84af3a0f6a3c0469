// Package compatibility decides whether an emulator with its options can start from a snapshot.
package compatibility

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/release"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Wanted are the options of an emulator that must agree with its snapshot. The zero values agree with
// every snapshot.
type Wanted struct {
	API          objectstorage.Version
	ControlPlane description.ControlPlaneKind
	// ControlPlaneDir has the programs of the control plane.
	ControlPlaneDir string
	Dialect         dialects.Dialect
	TLS             bool
	Protocols       []fakedriver.Protocol
}

// Check rejects the options of an emulator that cannot start from a snapshot.
func (w Wanted) Check(info description.SnapshotInfo) error {
	if w.API != "" && w.API != info.API {
		return fmt.Errorf("it has the kinds of %s, and not of %s; leave the version out, or migrate the objects after the start", info.API, w.API)
	}
	if err := w.checkControlPlane(info); err != nil {
		return err
	}
	switch {
	case w.Dialect != "" && w.Dialect != info.Dialect:
		return fmt.Errorf("its driver does not speak %s; leave the dialect out", w.Dialect.Protocol())
	case w.TLS && !info.TLS:
		return errors.New("its Secrets name an endpoint without TLS; start without TLS")
	}
	for _, protocol := range info.Protocols {
		if w.Protocols != nil && !slices.Contains(w.Protocols, protocol) {
			return fmt.Errorf("its driver has protocol %s; add that to the protocols, or leave them out", protocol)
		}
	}
	return w.checkKubernetes(info)
}

func (w Wanted) checkControlPlane(info description.SnapshotInfo) error {
	switch {
	case w.ControlPlane != "" && w.ControlPlane != description.ControlPlaneKind(kind.Auto) && w.ControlPlane != info.ControlPlane:
		return fmt.Errorf("it was saved with control plane %s, whose objects %s cannot read; choose control plane %s",
			info.ControlPlane, w.ControlPlane, info.ControlPlane)
	case w.ControlPlaneDir != "" && info.ControlPlane != description.ControlPlaneKind(kind.Envtest):
		return fmt.Errorf("it was saved with control plane %s, which uses no programs; name no directory with them", info.ControlPlane)
	}
	return nil
}

// checkKubernetes rejects a snapshot of a later Kubernetes, whose objects an earlier one may not
// understand.
func (w Wanted) checkKubernetes(info description.SnapshotInfo) error {
	running := binaries.KubernetesVersion
	switch {
	case info.ControlPlane == description.ControlPlaneKind(kind.Embedded):
		running = release.Version()
	case w.ControlPlaneDir != "":
		return nil // unknown release
	}
	theirs, err := version.ParseGeneric(info.Kubernetes)
	if err != nil {
		return fmt.Errorf("its release of Kubernetes: %w", err)
	}
	ours, err := version.ParseGeneric(running)
	if err != nil {
		return err
	}
	if theirs.Major() != ours.Major() || theirs.Minor() > ours.Minor() {
		return fmt.Errorf("it was saved with Kubernetes %s, and this program runs %s; use the version of cosi-emu that saved it, or a later one",
			info.Kubernetes, running)
	}
	return nil
}
