package plan

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// InterferenceKinds returns the kinds of effects that are interferences, in the order of
// exploration.
func InterferenceKinds() []Kind {
	var kinds []Kind
	for _, a := range fault.Interferences() {
		kinds = append(kinds, Kind(a.Name))
	}
	return kinds
}

// objects are the objects that exist at a moment of a run, as Effect.Object names them.
type objects struct {
	names *run.Names
	all   []string
	// ended are those that a request has ended, until a watch reports it.
	ended []string
}

// objectsBefore returns the objects that exist before the first step of a run: its namespace, and
// the classes that its claims and accesses name. A static Bucket of v1alpha1 may name a class that does
// not exist.
func objectsBefore(o *run.Record) *objects {
	there := &objects{names: o.Names, all: []string{"Namespace/" + run.Namespace}}
	for _, event := range o.Open() {
		var asked struct {
			Spec struct {
				BucketClass string `json:"bucketClassName"`
				AccessClass string `json:"bucketAccessClassName"`
			} `json:"spec"`
		}
		if event.Seam != journal.SeamAPI || json.Unmarshal(event.Response, &asked) != nil {
			continue
		}
		if hadClass(o, asked.Spec.BucketClass) {
			there.exists("BucketClass", asked.Spec.BucketClass)
		}
		if hadClass(o, asked.Spec.AccessClass) {
			there.exists("BucketAccessClass", asked.Spec.AccessClass)
		}
	}
	return there
}

// hadClass reports whether a class of that name was there: it is in an observation, or a fault has deleted it.
func hadClass(o *run.Record, name string) bool {
	has := func(m observed.Observation) bool {
		return m.Objects.BucketClass(name) != nil || m.Objects.AccessClass(name) != nil
	}
	return has(o.End) || slices.ContainsFunc(o.Before, has) || slices.ContainsFunc(o.Events, func(e journal.Event) bool {
		return e.Component == vocabulary.Administrator && e.Operation.Subject == name
	})
}

func (o *objects) exists(kind, name string) {
	full := kind + "/" + o.names.Pattern(name)
	if name != "" && !slices.Contains(o.all, full) {
		o.all = append(o.all, full)
	}
}

// observe updates the objects with an event.
func (o *objects) observe(e journal.Event) {
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	kind := run.KindOf[resource]
	failed := e.Failed() && verb != "event" // the outcome of a watch event is the effect of a fault
	if e.Seam != journal.SeamAPI || kind == "" || e.Operation.Subject == "" || failed {
		return
	}
	name := e.Operation.Subject[strings.LastIndex(e.Operation.Subject, "/")+1:]
	var told string
	_ = json.Unmarshal(e.Response, &told) // the type of a watch event; a request has an object
	full := kind + "/" + o.names.Pattern(name)
	same := func(object string) bool { return object == full }
	switch {
	case told == "DELETED":
		o.all, o.ended = slices.DeleteFunc(o.all, same), slices.DeleteFunc(o.ended, same)
	case endsWith(verb, e.Response):
		o.all, o.ended = slices.DeleteFunc(o.all, same), append(slices.DeleteFunc(o.ended, same), full)
	case verb == "create", told == "ADDED" && !slices.Contains(o.ended, full): // otherwise the watch lags behind
		o.exists(kind, name)
	}
}

// endsWith reports whether a request ended an object, according to its response: it deleted an
// object without finalizers, or removed the last finalizer. The watch event comes later.
func endsWith(verb string, response json.RawMessage) bool {
	var object struct {
		Kind     string            `json:"kind"`
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if json.Unmarshal(response, &object) != nil {
		return false
	}
	switch verb {
	case "delete":
		return object.Kind == "Status"
	case "patch", "update":
		return object.Metadata.DeletionTimestamp != nil && len(object.Metadata.Finalizers) == 0
	default:
		return false
	}
}

// Interferences returns the selected interferences of a run: each with every object that exists at
// an operation, before the operation, and after it if the operation changes anything.
func Interferences(o *run.Record, kinds []Kind, at string) []Trial {
	there := objectsBefore(o)
	var all []Trial
	for event, p := range run.Numbered(o.Open(), o.Names) {
		if !run.HasFault(event) && glob.Match(at, p.String()) {
			all = append(all, interferencesAt(p, kinds, there.all)...)
		}
		there.observe(event)
	}
	return all
}

func interferencesAt(p run.Point, kinds []Kind, objects []string) []Trial {
	var all []Trial
	for _, object := range objects {
		kind, _, _ := strings.Cut(object, "/")
		for _, about := range fault.Interferences() {
			selected := len(kinds) == 0 || slices.Contains(kinds, Kind(about.Name))
			if !selected || !slices.Contains(about.Kinds, kind) || sameAsAnother(about.Name, kind) {
				continue
			}
			for _, after := range momentsOf(p) {
				effect := fault.Effect{Interfere: about.Name, Object: object, After: after}
				all = append(all, Trial{Point: p, Kind: Kind(about.Name), Effect: effect})
			}
		}
	}
	return all
}

// sameAsAnother reports whether an interference with an object of a kind has the same consequences
// as another one. Classes and namespaces have neither COSI's finalizer nor dependents, and no
// component reads their labels and annotations.
func sameAsAnother(what fault.Interference, kind string) bool {
	switch kind {
	case "Namespace":
		return what != fault.Delete
	case "BucketClass", "BucketAccessClass":
		return !slices.Contains([]fault.Interference{fault.Delete, fault.Recreate, fault.RecreateOtherSpec}, what)
	default:
		return false
	}
}

// momentsOf returns when an interference can have a consequence at a point: before an event, after a
// read, and before and after any other operation. The moment before a read equals the moment after
// the operation before.
func momentsOf(p run.Point) (after []bool) {
	switch {
	case p.Event():
		return []bool{false}
	case p.Reads():
		return []bool{true}
	default:
		return []bool{false, true}
	}
}
