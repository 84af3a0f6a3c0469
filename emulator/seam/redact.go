package seam

import (
	"bytes"
	"encoding/json"

	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// recordable returns a JSON body of the API as the journal may keep it: nothing
// if it is empty, too large or not JSON, and without values if it is of a
// Secret. Which fields of the driver's answers are secret, the cosi_secret
// option says (see package redact); in a Secret all of them may be.
func recordable(info *request.RequestInfo, body []byte) json.RawMessage {
	if len(body) == 0 || len(body) > maxRecordedBody || !json.Valid(body) {
		return nil
	}
	if info.APIGroup == "" && (info.Resource == "secrets" || info.Subresource == "token") {
		return withoutValues(body)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, withoutManagedFields(body)) != nil {
		return nil
	}
	return compact.Bytes()
}

// withoutManagedFields leaves out the half of an object that says who has set
// which field: nobody looks for it in a history.
func withoutManagedFields(body []byte) []byte {
	if !bytes.Contains(body, []byte(`"managedFields"`)) {
		return body
	}
	var object, metadata map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil || json.Unmarshal(object["metadata"], &metadata) != nil {
		return body
	}
	delete(metadata, "managedFields")
	var err error
	if object["metadata"], err = json.Marshal(metadata); err != nil {
		return body
	}
	if shorter, err := json.Marshal(object); err == nil {
		return shorter
	}
	return body
}

// withoutValues hides the values of a Secret, or of a merge patch for one. A
// body of any other form is hidden as a whole.
func withoutValues(body []byte) json.RawMessage {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return json.RawMessage(`"` + redact.Placeholder + `"`)
	}
	for _, field := range []string{"data", "stringData"} {
		if values, ok := object[field].(map[string]any); ok {
			for key, value := range values {
				if value != nil { // null in a patch removes the key
					values[key] = redact.Placeholder
				}
			}
		}
	}
	if status, ok := object["status"].(map[string]any); ok && status["token"] != nil {
		status["token"] = redact.Placeholder
	}
	redacted, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	return redacted
}
