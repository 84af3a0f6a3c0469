package spec

import (
	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Parameters are the parameters of a fake driver, for buckets and accounts whose class does not set
// them.
type Parameters map[string]string

// decode rejects parameters that the driver would reject, with their position.
func (p *Parameters) decode(d *decoder, n *yaml.Node) {
	*p = Parameters{}
	d.pairs(n, func(key, value *yaml.Node) {
		if value.Kind != yaml.ScalarNode {
			d.problem(value, "must be a single value, not %s", kindOf(value))
			return
		}
		(*p)[key.Value] = value.Value
		if err := fakedriver.ValidateParameters(map[string]string{key.Value: value.Value}); err != nil {
			d.problem(key, "%s", err)
		}
	})
}
