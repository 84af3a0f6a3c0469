package cli

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

type controlPlaneKind struct{ value *description.ControlPlaneKind }

func (k controlPlaneKind) String() string {
	if k.value == nil {
		return ""
	}
	return string(cmp.Or(*k.value, description.ControlPlaneKind(kind.Auto)))
}

// Set ignores an empty text, which an environment variable may have.
func (k controlPlaneKind) Set(text string) error {
	if text == "" {
		*k.value = ""
		return nil
	}
	parsed, err := kind.Parse(text)
	*k.value = description.ControlPlaneKind(parsed)
	return err
}

func (controlPlaneKind) Type() string { return "kind" }

// AddControlPlane adds the flags that select the control plane.
func AddControlPlane(flags *pflag.FlagSet, selected *description.ControlPlaneKind, dir *string) {
	flags.Var(controlPlaneKind{selected}, "control-plane", kind.Usage)
	flags.StringVar(dir, "control-plane-dir", "",
		"directory with etcd, kube-apiserver and kube-controller-manager "+
			"(default: $KUBEBUILDER_ASSETS, then the user's cache, then a download, then, for envtest, a build)")
}
