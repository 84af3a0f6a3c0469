package spec

import (
	"fmt"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Events are the events that the journal must have, or must not have, between two marks. They
// include only events about the scenario's own objects.
type Events struct {
	Since  string         `yaml:"since" doc:"start mark; default: the start of the scenario"`
	Until  string         `yaml:"until" doc:"end mark; default: now"`
	Events []EventPattern `yaml:"events" required:"true" doc:"the events"`
	// AnyOrder ignores the order.
	AnyOrder bool `yaml:"anyOrder" doc:"the events may have any order"`
	// Only excludes other events of the named components and seams.
	Only bool `yaml:"only" doc:"the same components have no other events at the same seams"`

	Position document.Position
}

// EventPattern is a pattern for an event. Fields that are not given match all.
type EventPattern struct {
	Seam      string   `yaml:"seam" enum:"api,rpc,store,process" doc:"api, rpc, store or process; default rpc"`
	Component Text     `yaml:"component" doc:"component: controller, sidecar, driver, store, gcs or azure; of a driver of setup sidecar.NAME, driver.NAME"`
	Operation Text     `yaml:"operation" doc:"pattern of operations, such as DriverCreateBucket or \"update buckets/status\"; * matches any characters"`
	Subject   Text     `yaml:"subject" doc:"pattern of the object, bucket or account; * matches any characters"`
	Outcome   Text     `yaml:"outcome" doc:"OK or an error code; \"!OK\" matches every error"`
	Request   *Pattern `yaml:"request" doc:"pattern of the request"`
	Response  *Pattern `yaml:"response" doc:"pattern of the response"`
	Count     Count    `yaml:"count" doc:"number of events: 2, 1.., ..3 or 1..3; default 1.."`
	Position  document.Position
}

// Count is a range of numbers, both ends included. The zero value is 1 and more.
type Count struct { //nolint:recvcheck // only reading changes it
	given    bool
	Min, Max int // Max -1: no limit
}

var countRange = regexp.MustCompile(`^(\d*)(\.\.)?(\d*)$`)

func (c *Count) decode(d *decoder, n *yaml.Node) {
	found := countRange.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || found == nil || (found[1] == "" && found[3] == "") {
		d.problem(n, "%q must be a number or a range: 2, 1.., ..3 or 1..3", n.Value)
		return
	}
	c.given, c.Max = true, -1
	c.Min, _ = strconv.Atoi(found[1]) // 0 if there is none
	switch {
	case found[2] == "":
		c.Max = c.Min
	case found[3] != "":
		c.Max, _ = strconv.Atoi(found[3])
	}
	if c.Max >= 0 && c.Max < c.Min {
		d.problem(n, "the range %s is empty", n.Value)
	}
}

// Contains reports whether a number is in the range.
func (c Count) Contains(number int) bool {
	if !c.given {
		return number >= 1
	}
	return number >= c.Min && (c.Max < 0 || number <= c.Max)
}

// IsGiven reports whether the document has a count.
func (c Count) IsGiven() bool { return c.given }

// Describe renders the range in words: "at least 1 event".
func (c Count) Describe(noun string) string {
	least, most := c.Min, c.Max
	if !c.given {
		least, most = 1, -1
	}
	switch {
	case most < 0:
		return "at least " + counted.Of(least, noun)
	case least == most:
		return counted.Of(most, noun)
	case least == 0:
		return "at most " + counted.Of(most, noun)
	}
	return fmt.Sprintf("%d to %s", least, counted.Of(most, noun))
}

// Exceeded reports whether a number, and so every larger one, is above the range.
func (c Count) Exceeded(number int) bool { return c.given && c.Max >= 0 && number > c.Max }

// Settle waits until there has been no API write and no call for a time.
type Settle struct {
	Quiet Duration `yaml:"quiet" doc:"least duration without activity, longer on a busy machine; default 200ms"`
}

// Call calls a method of a driver directly.
type Call struct {
	Driver   Text     `yaml:"driver" doc:"a name of setup.drivers; default: the first"`
	Method   Text     `yaml:"method" required:"true" doc:"gRPC method, such as DriverCreateBucket"`
	Request  Value    `yaml:"request" doc:"the request in protobuf JSON, such as bucketId"`
	Code     Text     `yaml:"code" doc:"expected gRPC code; default OK"`
	Response *Pattern `yaml:"response" doc:"expected response in protobuf JSON"`
}
