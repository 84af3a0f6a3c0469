package match

import (
	"encoding/json"
	"fmt"
)

// maxRendered keeps a report readable.
const maxRendered = 400

// render shows a value in a line, as JSON; a missing value is empty.
func render(value any) string {
	if _, ok := value.(missing); ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Sprint(value)
		}
		text = string(encoded)
	}
	if len(text) > maxRendered {
		return text[:maxRendered] + "…"
	}
	return text
}
