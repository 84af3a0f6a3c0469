package timeline

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// maxBody is the maximum number of bytes of a body in the page: the journal has all of it.
const maxBody = 16 << 10

// body renders a request or a response as YAML, which has the least punctuation.
func body(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	text := string(raw)
	if converted, err := yaml.JSONToYAML(raw); err == nil {
		text = string(converted)
	}
	text = strings.ToValidUTF8(strings.TrimSpace(text), "�")
	if len(text) <= maxBody {
		return text
	}
	return strings.ToValidUTF8(text[:maxBody], "") + fmt.Sprintf("\n… %d bytes more", len(text)-maxBody)
}
