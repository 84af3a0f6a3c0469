package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrVersion means that a stored report has another structure than this program's.
var ErrVersion = errors.New("unsupported report version")

// WriteJSON writes the report as JSON, for Read.
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Read reads what WriteJSON has written. The error is ErrVersion for a report of
// another version. Unknown fields are ignored.
func Read(reader io.Reader) (Report, error) {
	var r Report
	if err := json.NewDecoder(reader).Decode(&r); err != nil {
		return Report{}, fmt.Errorf("read the report: %w", err)
	}
	if r.APIVersion != APIVersion {
		return Report{}, fmt.Errorf("%w: apiVersion is %q, this program supports %s", ErrVersion, r.APIVersion, APIVersion)
	}
	return r, nil
}
