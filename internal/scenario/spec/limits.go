package spec

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Limits are how much a scenario may do. They protect the control plane and the store,
// which it shares with others, from a loop or an object that has become larger than was
// meant. Zero is the default.
type Limits struct {
	Steps    Limit    `yaml:"steps" doc:"maximum number of steps; repeat and forEach count each iteration; default 10000"`
	Duration Duration `yaml:"duration" doc:"maximum duration of all steps together; default 10m"`
	Objects  Limit    `yaml:"objects" doc:"maximum number of Kubernetes objects; default 1000"`
	Puts     Limit    `yaml:"puts" doc:"maximum number of objects put into buckets; default 1000"`
	PutBytes Bytes    `yaml:"putBytes" doc:"maximum size of an object put into a bucket, such as 500M or 1Gi; default 64Mi"`
}

// defaultLimits are more than a scenario of a person's needs.
var defaultLimits = Limits{
	Steps: MaxSteps, Duration: Duration(10 * time.Minute), Objects: 1000, Puts: 1000, PutBytes: 64 << 20,
}

// OrDefault returns the limits with the defaults of those that are not given.
func (l Limits) OrDefault() Limits {
	return Limits{
		Steps: cmp.Or(l.Steps, defaultLimits.Steps), Duration: cmp.Or(l.Duration, defaultLimits.Duration),
		Objects: cmp.Or(l.Objects, defaultLimits.Objects),
		Puts:    cmp.Or(l.Puts, defaultLimits.Puts), PutBytes: cmp.Or(l.PutBytes, defaultLimits.PutBytes),
	}
}

// Limit is a number of things. It is positive where it is given.
type Limit int

// decode implements custom.
func (l *Limit) decode(d *decoder, n *yaml.Node) {
	number, err := strconv.Atoi(strings.ReplaceAll(n.Value, "_", ""))
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		d.problem(n, "%q must be a whole number", n.Value)
	case number <= 0:
		d.problem(n, "the limit %d must be greater than zero; omit it for the default", number)
	}
	*l = Limit(number)
}

// Bytes is a number of bytes. It is positive where it is given.
type Bytes int64

// decode implements custom.
func (b *Bytes) decode(d *decoder, n *yaml.Node) {
	number, err := fakedriver.ParseBytes(strings.ReplaceAll(n.Value, "_", ""))
	if n.Kind != yaml.ScalarNode || err != nil {
		d.problem(n, "%q must be a number of bytes: %s", n.Value, fakedriver.BytesAllowed)
	}
	*b = Bytes(number)
}
