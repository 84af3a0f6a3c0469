package startup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// preset is what upstream's components of a version need.
type preset struct {
	name                string
	version             string // the directory in deploy/upstream
	api                 objectstorage.Version
	dialect             dialects.Dialect // the fake driver's; empty: the default of the API
	controller, sidecar presetComponent
}

type presetComponent struct {
	args []string
	rbac []byte
}

func presets() []preset {
	const kubeconfig, probe = "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)"
	return []preset{{
		name: "upstream-v0.2", version: "v0.2", api: objectstorage.V1alpha1,
		controller: presetComponent{args: []string{kubeconfig, "--v=5"}},
		sidecar:    presetComponent{args: []string{kubeconfig, "--driver-addr=$(COSI_ENDPOINT)", "--v=5"}},
	}, {
		name: "upstream-v1alpha2", version: "v1alpha2", api: objectstorage.V1alpha2, dialect: dialects.OneMode,
		controller: presetComponent{args: []string{kubeconfig, probe}},
		sidecar:    presetComponent{args: []string{kubeconfig, probe}}, // it reads COSI_ENDPOINT
	}}
}

func presetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	return names
}

// api returns the version of the COSI kinds of the preset, or the empty one.
func (o *OwnComponents) api() objectstorage.Version {
	if at := slices.Index(presetNames(), o.preset); at >= 0 {
		return presets()[at].api
	}
	return ""
}

// presetOf returns the preset of the flag --components with its rights, and sets the options of the
// emulator that it implies.
func (o *OwnComponents) presetOf(opts *emulator.Options) (p preset, err error) {
	if o.preset == "" {
		return p, nil
	}
	at := slices.Index(presetNames(), o.preset)
	switch {
	case at < 0:
		return p, fmt.Errorf("--components: %q must be one of %v", o.preset, presetNames())
	case o.controller == "" && o.sidecar == "":
		return p, errors.New("--components requires --controller-cmd or --sidecar-cmd, the programs of upstream that you have built")
	}
	p = presets()[at]
	if opts.API != "" && opts.API != p.api {
		return p, fmt.Errorf("--components %s has the kinds of %s, and --api is %s", p.name, p.api, opts.API)
	}
	opts.API = p.api
	if opts.Dialect == "" {
		opts.Dialect = p.dialect
	}
	if o.inCluster {
		return p, nil
	}
	controller, sidecar, err := deploy.UpstreamRBAC(p.version)
	p.controller.rbac, p.sidecar.rbac = controller.Data, sidecar.Data
	return p, err
}
