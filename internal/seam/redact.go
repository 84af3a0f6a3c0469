package seam

import (
	"bytes"
	"cmp"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// record returns a JSON body of the API in its form for the journal, and tells the journal the
// secret values in it.
func (i *Incarnation) record(info *request.RequestInfo, body []byte) json.RawMessage {
	if info.APIGroup == "" && info.Resource == "secrets" && info.Subresource == "" {
		i.learnValues(info, body)
	}
	return recordable(info, body)
}

// learnValues tells the journal the secret values of a Secret, or of a merge patch for one.
func (i *Incarnation) learnValues(info *request.RequestInfo, body []byte) {
	var secret corev1.Secret
	if json.Unmarshal(body, &secret) != nil {
		return
	}
	for _, value := range secretvalues.OfSecret(&secret) {
		i.journal.AddSecret(info.Namespace, cmp.Or(info.Name, secret.Name), value)
	}
}

// recordable returns a JSON body of the API for the journal. It returns nil if the body is empty,
// too large or not JSON. It removes the values of Secrets. In the driver's messages, the
// cosi_secret option marks secret fields; see package redact.
func recordable(info *request.RequestInfo, body []byte) json.RawMessage {
	if len(body) == 0 || len(body) > maxRecordedBody {
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

var managedFields = []byte(`"managedFields":`)

// withoutManagedFields removes the managed fields of an object, which are half of it and useless in
// a journal. It cuts the text, because parsing the object would cost more than everything else at
// the seam.
func withoutManagedFields(body []byte) []byte {
	const inMetadata = 2 // braces
	for from := 0; ; {
		at := bytes.Index(body[from:], managedFields)
		if at < 0 {
			return body
		}
		at += from
		value := at + len(managedFields)
		length := listLength(body[value:])
		if where := placeAt(body[:at]); where.depth != inMetadata || where.inText || length == 0 {
			from = value
			continue
		}
		end := value + length
		switch {
		case end < len(body) && body[end] == ',':
			end++
		case at > 0 && body[at-1] == ',':
			at--
		}
		return append(bytes.Clone(body[:at]), body[end:]...)
	}
}

// place is a position in a JSON text.
type place struct {
	depth           int // open braces and brackets
	inText, escaped bool
}

func (p *place) pass(c byte) {
	switch {
	case p.escaped:
		p.escaped = false
	case p.inText && c == '\\':
		p.escaped = true
	case c == '"':
		p.inText = !p.inText
	case p.inText:
	case c == '{', c == '[':
		p.depth++
	case c == '}', c == ']':
		p.depth--
	}
}

// placeAt returns the position at the end of a text.
func placeAt(text []byte) (p place) {
	for _, c := range text {
		p.pass(c)
	}
	return p
}

// listLength returns the length of the list at the start of a text, or 0.
func listLength(text []byte) int {
	var p place
	for i, c := range text {
		p.pass(c)
		if p.depth == 0 {
			if c == ']' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// withoutValues removes the values of a Secret, or of a merge patch for one. It
// removes a body of any other form completely.
func withoutValues(body []byte) json.RawMessage {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return json.RawMessage(`"` + redact.Placeholder + `"`)
	}
	for _, field := range []string{"data", "stringData"} {
		if values, ok := object[field].(map[string]any); ok {
			for key, value := range values {
				if value != nil { // null in a patch deletes the key
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
