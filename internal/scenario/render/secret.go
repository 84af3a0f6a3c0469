package render

import (
	"encoding/base64"
	"maps"
)

const (
	kindSecret     = "Secret"
	dataField      = "data"
	plainDataField = "stringData"
	redacted       = "***redacted***"
)

// Readable adds stringData to a Secret: the decoded values of data. The API server
// accepts this field, but never returns it.
func Readable(got any) any {
	object, ok := got.(map[string]any)
	if !ok || object["kind"] != kindSecret {
		return got
	}
	data, _ := object[dataField].(map[string]any)
	plain := make(map[string]any, len(data))
	for key, value := range data {
		encoded, _ := value.(string)
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			plain[key] = string(decoded)
		}
	}
	object = maps.Clone(object)
	object[plainDataField] = plain
	return object
}

func redactedValues(values map[string]any) map[string]any {
	names := map[string]any{}
	for name := range values {
		names[name] = redacted
	}
	return names
}
