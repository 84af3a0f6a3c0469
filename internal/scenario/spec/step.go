package spec

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Step is one action or expectation. It has exactly one verb.
type Step struct {
	Name    string   `yaml:"name" doc:"name in reports"`
	Timeout Duration `yaml:"timeout" doc:"timeout of the step; default: setup.timeout"`
	// As binds the result of the step to a name for later steps.
	As string `yaml:"as" doc:"name of the result, for ${...} in later steps"`
	// When is a CEL expression; if it is false, the step is skipped.
	When Expression `yaml:"when" doc:"CEL expression; false skips the step"`
	// Rejected expects the API server to reject the request of the step.
	Rejected Text `yaml:"rejected" doc:"the API server must reject the request with a message that contains this; for apply, patch and delete of one object"`
	// Forget makes the components of crash and restart start without their data.
	Forget bool `yaml:"forget" doc:"with crash and restart: the store or fake driver restarts without its data"`

	Apply    *Objects      `yaml:"apply" verb:"true" doc:"create or update objects (server-side apply)"`
	Patch    *Patch        `yaml:"patch" verb:"true" doc:"patch an object (JSON merge patch)"`
	Delete   *References   `yaml:"delete" verb:"true" doc:"delete objects, KIND/NAME"`
	Expect   *Expectations `yaml:"expect" verb:"true" doc:"wait until objects match"`
	Always   *Always       `yaml:"always" verb:"true" doc:"require that objects match for a time"`
	Never    *Events       `yaml:"never" verb:"true" doc:"require that the journal has no such event between two marks"`
	Settle   *Settle       `yaml:"settle" verb:"true" doc:"wait until all components are idle: no API write, no call"`
	Call     *Call         `yaml:"call" verb:"true" doc:"call a method of a driver"`
	Calls    *Events       `yaml:"calls" verb:"true" doc:"require that the journal has these events, started in this order"`
	Backend  *Backend      `yaml:"backend" verb:"true" doc:"check or change buckets, accounts and objects in the store"`
	S3       *S3           `yaml:"s3" verb:"true" doc:"send an S3 request with the credentials of a Secret"`
	Crash    *Names        `yaml:"crash" verb:"true" doc:"kill and restart components"`
	Restart  *Names        `yaml:"restart" verb:"true" doc:"stop components gracefully and restart them"`
	Start    *Names        `yaml:"start" verb:"true" doc:"start components"`
	Stop     *Names        `yaml:"stop" verb:"true" doc:"stop components gracefully"`
	Inject   *Fault        `yaml:"inject" verb:"true" doc:"inject a fault"`
	Heal     *Names        `yaml:"heal" verb:"true" doc:"remove faults by name; an empty list removes all"`
	Mark     string        `yaml:"mark" verb:"true" doc:"name this moment, for never, calls and faults"`
	Parallel [][]Step      `yaml:"parallel" verb:"true" doc:"run lists of steps at the same time"`
	Repeat   *Repeat       `yaml:"repeat" verb:"true" doc:"run steps several times"`
	ForEach  *ForEach      `yaml:"forEach" verb:"true" doc:"run steps for each row of a table"`
	Use      string        `yaml:"use" verb:"true" doc:"run the steps of another file, relative to this one"`
	Exec     *Exec         `yaml:"exec" verb:"true" doc:"run a program; requires --allow-exec"`
	Logs     *Logs         `yaml:"logs" verb:"true" doc:"wait until the output of a Pod matches"`
	Golden   *Golden       `yaml:"golden" verb:"true" doc:"compare objects with a file, which --update rewrites"`

	Position document.Position
	Verb     string
	// Broken means that a part of the step, or of an inner step, cannot be read.
	Broken bool
	// Included are the steps of the file that Use names.
	Included []Step

	uses []use // of variables, without inner steps
}

var verbs = verbNames()

func verbNames() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Step]()) {
		if f.Tag.Get("verb") != "" {
			names = append(names, f.Tag.Get("yaml"))
		}
	}
	return names
}

func (s *Step) decode(d *decoder, n *yaml.Node) {
	s.Position = d.at(n)
	outer, before := d.used, len(d.failed)
	d.used = nil
	d.object(n, reflect.ValueOf(s).Elem())
	s.uses, d.used = d.used, outer
	if n.Kind != yaml.MappingNode {
		return
	}
	defer func() { s.Broken = len(d.failed) > before }()
	switch found := verbsOf(n); {
	case len(found) == 1:
		s.Verb = found[0]
	case len(found) > 1:
		d.problem(n, "the step has the verbs %s: split it into one step each", strings.Join(found, " and "))
	case len(d.failed) == before: // not a misspelt one
		d.problem(n, "the step has no verb: it requires one of %s", strings.Join(verbs, ", "))
	}
}

func verbsOf(n *yaml.Node) []string {
	var found []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; slices.Contains(verbs, name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// AnyStep reports whether a condition holds for a step, or for one inside it.
func AnyStep(steps []Step, holds func(Step) bool) bool {
	for _, s := range steps {
		if holds(s) {
			return true
		}
		for _, within := range s.Within() {
			if AnyStep(within, holds) {
				return true
			}
		}
	}
	return false
}
