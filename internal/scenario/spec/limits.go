package spec

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Limits restrict a scenario. They protect the shared control plane and store from endless loops
// and large objects. Zero is the default.
type Limits struct {
	Steps    Limit    `yaml:"steps" doc:"maximum number of steps; repeat and forEach count each iteration; default 10000"`
	Duration Duration `yaml:"duration" doc:"maximum duration of all steps together; default 10m"`
	Objects  Limit    `yaml:"objects" doc:"maximum number of Kubernetes objects; default 1000"`
	Puts     Limit    `yaml:"puts" doc:"maximum number of objects put into buckets; default 1000"`
	PutBytes Bytes    `yaml:"putBytes" doc:"maximum size of an object put into a bucket, such as 500M or 1Gi; default 64Mi"`
}

// defaultLimits are more than handwritten scenarios need.
var defaultLimits = Limits{
	Steps: MaxSteps, Duration: Duration(10 * time.Minute), Objects: 1000, Puts: 1000, PutBytes: 64 << 20,
}

// OrDefault returns the limits, with defaults for missing ones.
func (l Limits) OrDefault() Limits {
	return Limits{
		Steps: cmp.Or(l.Steps, defaultLimits.Steps), Duration: cmp.Or(l.Duration, defaultLimits.Duration),
		Objects: cmp.Or(l.Objects, defaultLimits.Objects),
		Puts:    cmp.Or(l.Puts, defaultLimits.Puts), PutBytes: cmp.Or(l.PutBytes, defaultLimits.PutBytes),
	}
}

// Limit is a number of things. It is positive if given.
type Limit int

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

// Bytes is a number of bytes. It is positive if given.
type Bytes int64

func (b *Bytes) decode(d *decoder, n *yaml.Node) {
	number, err := fakedriver.ParseBytes(strings.ReplaceAll(n.Value, "_", ""))
	if n.Kind != yaml.ScalarNode || err != nil {
		d.problem(n, "%q must be a number of bytes: %s", n.Value, fakedriver.BytesAllowed)
	}
	*b = Bytes(number)
}
