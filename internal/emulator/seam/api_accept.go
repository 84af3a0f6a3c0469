package seam

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// acceptJSON takes protobuf out of what a request accepts. Clients of metadata alone
// prefer it, whatever their configuration says, and neither the journal nor a fault
// that concerns a single event of a watch could make anything of it.
func acceptJSON(h http.Header) {
	accepted := slices.DeleteFunc(strings.Split(h.Get("Accept"), ","), func(mediaType string) bool {
		return strings.HasPrefix(strings.TrimSpace(mediaType), runtime.ContentTypeProtobuf)
	})
	if text := strings.Join(accepted, ","); text != "" {
		h.Set("Accept", text)
	}
}
