package chart

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// history has the changes of one object's conditions, as far as components have observed them.
type history struct {
	Kind, Name string
	// Seen is the time of the first observation, and Gone the time of the deletion; zero if there
	// is none.
	Seen, Deleting, Gone time.Time
	Conditions           []changes
}

// changes are the states of one condition, in order.
type changes struct {
	Type   string
	States []state
}

// state is a condition from a moment on.
type state struct {
	metav1.Condition

	From time.Time
}

// observed has the relevant fields of an object in a body.
type observed struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// kindNames are the kinds with conditions, by their resources.
var kindNames = map[string]string{"bucketclaims": "BucketClaim", "buckets": "Bucket", "bucketaccesses": "BucketAccess"}

// kindOrder begins with the kinds that users create.
var kindOrder = []string{"BucketClaim", "Bucket", "BucketAccess"}

// histories extracts the histories of all objects from the answers of the API server.
func histories(events []journal.Event) []*history {
	var found []*history
	byTime := slices.Clone(events)
	slices.SortStableFunc(byTime, func(a, b journal.Event) int { return ended(a).Compare(ended(b)) })
	for _, e := range byTime {
		kind := kindNames[resourceOf(e)]
		if kind == "" || e.Failed() {
			continue
		}
		i := slices.IndexFunc(found, func(h *history) bool { return h.Kind == kind && h.Name == e.Operation.Subject })
		if i < 0 {
			i = len(found)
			found = append(found, &history{Kind: kind, Name: e.Operation.Subject, Seen: ended(e)})
		}
		found[i].take(e)
	}
	slices.SortStableFunc(found, func(a, b *history) int {
		return cmp.Or(cmp.Compare(slices.Index(kindOrder, a.Kind), slices.Index(kindOrder, b.Kind)), a.Seen.Compare(b.Seen))
	})
	return found
}

func ended(e journal.Event) time.Time { return e.Time.Add(e.Duration) }

// resourceOf returns the resource of a request for one object, without subresource.
func resourceOf(e journal.Event) string {
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	if e.Seam != journal.SeamAPI || e.Operation.Subject == "" || verb == "list" || verb == "watch" {
		return ""
	}
	resource, _, _ = strings.Cut(resource, "/")
	return resource
}

// take adds an answer.
func (h *history) take(e journal.Event) {
	var seen observed
	if len(e.Response) == 0 || json.Unmarshal(e.Response, &seen) != nil || seen.Kind != h.Kind {
		return
	}
	at := ended(e)
	if seen.Metadata.DeletionTimestamp != nil && h.Deleting.IsZero() {
		h.Deleting = at
	}
	if !h.Deleting.IsZero() && e.Write() && len(seen.Metadata.Finalizers) == 0 && h.Gone.IsZero() {
		h.Gone = at
	}
	for _, c := range seen.Status.Conditions {
		h.set(c, at)
	}
}

func (h *history) set(c metav1.Condition, at time.Time) {
	i := slices.IndexFunc(h.Conditions, func(known changes) bool { return known.Type == c.Type })
	if i < 0 {
		i = len(h.Conditions)
		h.Conditions = append(h.Conditions, changes{Type: c.Type})
	}
	known := &h.Conditions[i]
	if len(known.States) > 0 {
		last := known.States[len(known.States)-1]
		if last.Status == c.Status && last.Reason == c.Reason && last.Message == c.Message {
			return
		}
	}
	known.States = append(known.States, state{c, at})
}
