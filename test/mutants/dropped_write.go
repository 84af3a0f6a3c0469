package mutants

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// dropWrite notes that a write has failed, if it is one that is not made again.
func (t *transport) dropWrite(r *http.Request, body []byte) {
	if uid := t.subject(r, body); uid != "" {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.lost = append(t.lost, uid)
	}
}

// isDropped reports whether a write is not made, because it has failed before.
func (t *transport) isDropped(r *http.Request, body []byte) bool {
	t.mu.Lock()
	lost := t.lost
	t.mu.Unlock()
	return len(lost) > 0 && slices.Contains(lost, t.subject(r, body))
}

// subject tells the object of a write that may be abandoned from later ones of the same
// name. It is empty for other writes.
func (t *transport) subject(write *http.Request, body []byte) types.UID {
	if t.abandons == "" || !strings.Contains(string(body), t.abandons) {
		return ""
	}
	text, err := read(write.Context(), t.next, write)
	if err != nil {
		return ""
	}
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(text, &object) != nil {
		return ""
	}
	return object.UID
}
