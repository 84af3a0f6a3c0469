package render

import (
	"encoding/base64"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
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

// RedactDifferences removes the values of a Secret from its differences.
func RedactDifferences(object *unstructured.Unstructured, differences []match.Difference) []match.Difference {
	if object.GetKind() != kindSecret {
		return differences
	}
	for i := range differences {
		path := differences[i].Path
		inData := strings.HasPrefix(path, dataField) || strings.HasPrefix(path, plainDataField)
		if inData && differences[i].Got != "" {
			differences[i].Got = redacted
		}
	}
	return differences
}

func redactedValues(values map[string]any) map[string]any {
	names := map[string]any{}
	for name := range values {
		names[name] = redacted
	}
	return names
}
