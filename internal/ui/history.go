package ui

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// The verbs of a saved scenario, besides those for components.
const (
	verbApply  = "apply"
	verbDelete = "delete"
	verbExpect = "expect"
	verbInject = "inject"
	verbHeal   = "heal"
	verbS3     = "s3"
)

const maxActions = 5000

// action is an action of a user, or the state that COSI has reached then.
type action struct {
	at time.Time
	// revision is the resource version at which a watch showed the object; 0 if none did.
	revision uint64
	verb     string
	// kind, namespace and name identify the object, if any.
	kind, namespace, name string
	object                map[string]any
	// absent expects the end of the object.
	absent bool
	fault  fault.Fault
	// component is the component that was crashed, restarted, started or stopped.
	component string
	upload    upload
}

// upload is an object that was put into a bucket with the key in a Secret.
type upload struct {
	secret, key, code string
	content           []byte
}

func (a action) label() string {
	switch a.verb {
	case verbInject, verbHeal:
		return a.verb + " " + a.fault.Name
	case verbS3:
		return "put " + a.upload.key
	case verbApply, verbDelete, verbExpect:
		return a.verb + " " + a.kind + "/" + a.name
	default:
		return a.verb + " " + a.component
	}
}

// made has the notes of the history about an object of a user.
type made struct {
	uid             string
	spec            map[string]any
	ready, deleting bool
}

// history has the users' actions since the start of the page. Before begin it collects the existing
// objects; it omits the components' actions.
type history struct {
	api     objectstorage.Version
	journal *journal.Journal

	mu      sync.Mutex
	begun   bool
	actions []action
	made    map[string]*made // by ID
}

func newHistory(api objectstorage.Version, j *journal.Journal) *history {
	return &history{api: api, journal: j, made: map[string]*made{}}
}

// begin ends the list of existing objects, and sorts it by their creation.
func (h *history) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun = true
	slices.SortStableFunc(h.actions, func(a, b action) int { return a.at.Compare(b.at) })
}

func (h *history) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.actions)
}

func (h *history) add(a action) {
	if len(h.actions) >= maxActions {
		return
	}
	place := h.placeOf(a.revision)
	switch {
	case place < len(h.actions):
		a.at = h.actions[place].at
	case a.at.IsZero():
		a.at = time.Now()
	}
	h.actions = slices.Insert(h.actions, place, a)
}

// placeOf returns the place of an action: behind all others, but before later revisions. Each kind
// has a watch of its own, and a watch may be late.
func (h *history) placeOf(revision uint64) int {
	place := len(h.actions)
	if revision == 0 {
		return place
	}
	for i, other := range slices.Backward(h.actions) {
		if other.revision > revision {
			place = i
		} else if other.revision > 0 {
			break
		}
	}
	return place
}

// isUsers reports whether users create an object: components create Buckets for claims, but none
// for an existing bucket.
func isUsers(o *unstructured.Unstructured) bool {
	switch o.GetKind() {
	case kindClaim, kindAccess:
		return true
	case kindBucket:
		return field(o, "spec", "existingBucketID") != ""
	}
	return false
}

// seen takes the state of an object.
func (h *history) seen(o *unstructured.Unstructured) {
	if !isUsers(o) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id := nodeID(o.GetKind(), o.GetNamespace(), o.GetName())
	about := action{kind: o.GetKind(), namespace: o.GetNamespace(), name: o.GetName()}
	if h.begun {
		about.revision = number(o.GetResourceVersion())
	} else {
		about.at = o.GetCreationTimestamp().Time
	}
	known := h.made[id]
	if known == nil || known.uid != string(o.GetUID()) {
		known = &made{uid: string(o.GetUID())}
		h.made[id] = known
	}
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	if !sameForUsers(spec, known.spec) && !known.deleting {
		known.spec = spec
		applied := about
		applied.verb, applied.object = verbApply, written(o)
		h.add(applied)
	}
	if ready := isReady(o); ready != known.ready {
		known.ready = ready
		if ready && !known.deleting {
			expected := about
			expected.verb = verbExpect
			h.add(expected)
		}
	}
	if o.GetDeletionTimestamp() != nil && !known.deleting {
		known.deleting = true
		deleted := about
		deleted.verb = verbDelete
		h.add(deleted)
	}
}

// sameForUsers compares specs without COSI's additions.
func sameForUsers(a, b map[string]any) bool { return reflect.DeepEqual(withoutUID(a), withoutUID(b)) }

func withoutUID(spec map[string]any) map[string]any {
	if spec == nil {
		return nil
	}
	object := (&unstructured.Unstructured{Object: spec}).DeepCopy().Object
	unstructured.RemoveNestedField(object, "bucketClaimRef", "uid")
	return object
}

// written returns the part of an object that a user has written.
func written(o *unstructured.Unstructured) map[string]any {
	metadata := map[string]any{"name": o.GetName()}
	if labels := o.GetLabels(); len(labels) > 0 {
		metadata["labels"] = anyOf(labels)
	}
	annotations := o.GetAnnotations()
	maps.DeleteFunc(annotations, func(name, _ string) bool {
		return name == corev1.LastAppliedConfigAnnotation || strings.Contains(name, "objectstorage.k8s.io/")
	})
	if len(annotations) > 0 {
		metadata["annotations"] = anyOf(annotations)
	}
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	return map[string]any{"kind": o.GetKind(), "metadata": metadata, "spec": withoutUID(spec)}
}

// anyOf returns a map with the type that unstructured requires.
func anyOf(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for name, text := range texts {
		all[name] = text
	}
	return all
}

// gone takes the end of an object, with the revision at which a watch showed it, or 0.
func (h *history) gone(kind, namespace, name string, revision uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := nodeID(kind, namespace, name)
	known := h.made[id]
	if known == nil {
		return
	}
	delete(h.made, id)
	about := action{revision: revision, verb: verbDelete, kind: kind, namespace: namespace, name: name}
	if !known.deleting {
		h.add(about)
	}
	about.verb, about.absent = verbExpect, true
	h.add(about)
}

// faultAdded takes a fault, and the time at which it was added. Existing objects have the second of
// their creation, and so has an existing fault: it comes before what it affects.
func (h *history) faultAdded(f fault.Fault, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.begun {
		at = at.Truncate(time.Second)
	}
	h.add(action{at: at, verb: verbInject, fault: f})
}

func (h *history) faultRemoved(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(action{verb: verbHeal, fault: fault.Fault{Name: name}})
}

func (h *history) component(verb, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(action{verb: verb, component: name})
}

func (h *history) uploaded(access, secret, key string, content []byte, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	namespace, _, _ := strings.Cut(access, "/")
	h.add(action{verb: verbS3, namespace: namespace, upload: upload{secret: secret, key: key, content: content, code: code}})
}

// isText reports whether a scenario can contain an uploaded object unchanged.
func (u upload) isText() bool {
	const most = 4096
	return len(u.content) <= most && utf8.Valid(u.content) && !strings.Contains(string(u.content), "${")
}

// String renders the action for error messages.
func (a action) String() string {
	return fmt.Sprintf("%s at %s", a.label(), a.at.Format(time.TimeOnly))
}
