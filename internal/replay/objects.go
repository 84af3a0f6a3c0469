package replay

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// volatile are the fields of metadata and of conditions that differ between runs.
var volatile = []string{
	"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields", "lastTransitionTime",
}

var (
	// digest matches the digest of a Secret's data, which has keys of the run.
	digest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	// address matches the address of an emulator's store.
	address = regexp.MustCompile(`\b127\.0\.0\.1:\d+\b`)
)

// LastObjects returns the objects that the components of a run with that scope have written, as in
// the API server's last answer for each, without values that differ between runs. An object that
// was being deleted has no status. Kubernetes Events and Leases are omitted. The keys are resources
// and subjects.
func LastObjects(scope string, events []journal.Event) map[string]string {
	n := newNormalizer(scope, events)
	last := map[string]string{}
	for _, e := range events {
		subject := n.normalize(e.Operation.Subject)
		if e.Seam != journal.SeamAPI || e.Outcome != journal.OutcomeOK || !e.Write() || !isComparedWrite(e) || subject == e.Operation.Subject {
			continue
		}
		var object map[string]any
		if json.Unmarshal(e.Response, &object) == nil {
			withoutLateStatus(object)
			last[resourceOf(e.Operation.Name)+" "+subject] = n.object(object)
		}
	}
	return last
}

// withoutLateStatus removes fields that a component may write into an object before or after its
// deletion.
func withoutLateStatus(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	if metadata["deletionTimestamp"] != nil {
		delete(object, "status")
		delete(metadata, "generation")
	}
}

// object returns the spec, the status and the other fields of an object as JSON.
func (n *normalizer) object(object map[string]any) string {
	text, err := json.Marshal(withoutVolatile(object))
	if err != nil {
		return err.Error() // it was read from JSON
	}
	return address.ReplaceAllString(digest.ReplaceAllString(n.normalize(string(text)), "<digest>"), "<address>")
}

// resourceOf returns the resource of an operation such as "patch buckets/status".
func resourceOf(operation string) string {
	_, resource, _ := strings.Cut(operation, " ")
	resource, _, _ = strings.Cut(resource, "/")
	return resource
}

func withoutVolatile(value any) any {
	switch in := value.(type) {
	case map[string]any:
		stripped := maps.Clone(in)
		for _, name := range volatile {
			delete(stripped, name)
		}
		for name, field := range stripped {
			stripped[name] = withoutVolatile(field)
		}
		return stripped
	case []any:
		items := make([]any, len(in))
		for i, item := range in {
			items[i] = withoutVolatile(item)
		}
		return items
	default:
		return value
	}
}
