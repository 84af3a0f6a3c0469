package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

func protocolOf(protocol v1alpha1.Protocol) (translated v1alpha2.Protocol, known bool) {
	_, known = protocol.Canonical()
	return hub.Protocol(protocol), known
}

// protocols translates the protocols of a Bucket or BucketClaim. It omits unsupported ones, so that
// the others can be served.
func (p *planner) protocols(d *decisions, driver string, protocols []v1alpha1.Protocol) []v1alpha2.Protocol {
	var all []v1alpha2.Protocol
	for _, protocol := range protocols {
		translated, known := protocolOf(protocol)
		switch {
		case !known:
			d.change(ProtocolUnknown, "protocol %q is left out: v1alpha2 has S3, Azure and GCS", protocol)
		case p.isBridged(driver) && translated == v1alpha2.ProtocolGCS:
			d.change(ProtocolUnsupported, "protocol %s is left out: the bridge serves S3 and Azure", translated)
		case !slices.Contains(all, translated):
			all = append(all, translated)
		}
	}
	if p.isBridged(driver) {
		p.requireBridge(driver, all...)
	}
	return all
}

func (p *planner) isBridged(driver string) bool {
	return !slices.Contains(p.options.NativeDrivers, driver)
}

func (p *planner) requireBridge(driver string, protocols ...v1alpha2.Protocol) {
	if p.bridged[driver] == nil {
		p.bridged[driver] = map[v1alpha2.Protocol]bool{}
	}
	for _, protocol := range protocols {
		p.bridged[driver][protocol] = true
	}
}

// reportBridge describes how to start the bridges of the drivers.
func (p *planner) reportBridge() {
	for driver, protocols := range p.bridged {
		var names []string
		for _, protocol := range slices.Sorted(maps.Keys(protocols)) {
			names = append(names, strings.ToUpper(string(protocol)))
		}
		flags := "--assume-existing"
		if len(names) > 0 {
			flags = fmt.Sprintf("--assume-existing --protocols %s", strings.Join(names, ","))
		}
		d := &decisions{plan: p.plan, object: Reference{Kind: kindDriver, Name: driver}}
		d.check(BridgeRequired, "the driver must run behind the bridge, which is started with %s; if the driver speaks v1alpha2 itself, "+
			"run migrate again with --native-driver %s", flags, driver)
	}
}
