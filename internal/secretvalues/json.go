package secretvalues

import (
	"bytes"
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// RedactJSON returns JSON without the values after a count, and their owners. The result
// is JSON, too.
func (v *Values) RedactJSON(text json.RawMessage, after int) (redacted json.RawMessage, owners []string) {
	found := v.spans(text, after)
	if len(found) == 0 {
		return text, nil
	}
	if replaced := replace(text, found); json.Valid(replaced) {
		return replaced, ownersOf(found)
	}
	return v.redactParts(text), ownersOf(found)
}

// redactParts replaces the smallest parts of JSON that show a value, and all of it if the
// value crosses parts.
func (v *Values) redactParts(text json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil {
		if redacted, err := json.Marshal(v.part(value)); err == nil && len(v.spans(redacted, 0)) == 0 {
			return redacted
		}
	}
	return json.RawMessage(`"` + redact.Placeholder + `"`)
}

func (v *Values) part(value any) any {
	switch part := value.(type) {
	case string:
		redacted, _ := v.Redact(part, 0)
		return redacted
	case map[string]any:
		for key := range part {
			part[key] = v.part(part[key])
		}
	case []any:
		for i := range part {
			part[i] = v.part(part[i])
		}
		if text, err := json.Marshal(part); err != nil || len(v.spans(text, 0)) > 0 {
			return redact.Placeholder // the items show it together
		}
	}
	return value
}
