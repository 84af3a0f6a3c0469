package seam

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// acceptJSON removes protobuf from the Accept header. Metadata clients prefer protobuf, whatever
// their configuration. The journal, and faults on single watch events, require JSON.
func acceptJSON(h http.Header) {
	accepted := slices.DeleteFunc(strings.Split(h.Get("Accept"), ","), func(mediaType string) bool {
		return strings.HasPrefix(strings.TrimSpace(mediaType), runtime.ContentTypeProtobuf)
	})
	if text := strings.Join(accepted, ","); text != "" {
		h.Set("Accept", text)
	}
}
