package watch

import (
	"encoding/json"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// UserRequest is a request of a user to the API server, made by a step of a scenario.
type UserRequest struct {
	// Verb is patch or delete.
	Verb string
	// Object is the object in the API server's response.
	Object client.Object
	// Body is the body of the request.
	Body  json.RawMessage
	Began time.Time
}

// NoteUserRequest tells the oracles about a user's request, so that they do not blame COSI for the
// consequences. It ignores requests for objects that the oracles do not read, and the values of
// Secrets.
func NoteUserRequest(j *journal.Journal, r UserRequest) {
	kind := r.Object.GetObjectKind().GroupVersionKind().Kind
	resource := evidence.ResourceOf(kind)
	if resource == "" {
		return
	}
	e := journal.Event{
		Time: r.Began, Duration: time.Since(r.Began), Component: vocabulary.Administrator, Seam: journal.SeamAPI, Outcome: journal.OutcomeOK,
		Operation: journal.Operation{Name: r.Verb + " " + resource, Subject: evidence.Key(r.Object.GetNamespace(), r.Object.GetName())},
		Request:   withoutValues(resource, r.Body),
	}
	if response, err := json.Marshal(r.Object); err == nil && !strings.HasPrefix(r.Verb, "delete") {
		e.Response = withoutValues(resource, response)
	}
	j.AddUserRequest(e)
}

// withoutValues removes the values of a Secret.
func withoutValues(resource string, body json.RawMessage) json.RawMessage {
	if resource != evidence.Secrets || len(body) == 0 {
		return body
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	delete(fields, "data")
	delete(fields, "stringData")
	without, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return without
}
