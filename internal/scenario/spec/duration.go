package spec

import (
	"time"

	"go.yaml.in/yaml/v3"
)

// Duration is a time.Duration in Go's notation, for example 1m30s. It is positive if given.
type Duration time.Duration //nolint:recvcheck // only reading changes it

func (t *Duration) decode(d *decoder, n *yaml.Node) {
	parsed, err := time.ParseDuration(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		d.problem(n, "%q must be a duration such as 500ms, 10s or 1m30s", n.Value)
	case parsed <= 0:
		d.problem(n, "the duration %s must be greater than zero", n.Value)
	}
	*t = Duration(parsed)
}

// ClockOffset moves a clock forward, or back if it is negative: a time.Duration in Go's notation,
// for example +2h or -20m.
type ClockOffset time.Duration

func (o *ClockOffset) decode(d *decoder, n *yaml.Node) {
	parsed, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || parsed == 0 {
		d.problem(n, "%q must be a duration that is not zero, such as +2h or -20m", n.Value)
	}
	*o = ClockOffset(parsed)
}

// Or returns the duration, or the default if it is not given.
func (t Duration) Or(otherwise Duration) time.Duration {
	if t == 0 {
		return time.Duration(otherwise)
	}
	return time.Duration(t)
}
