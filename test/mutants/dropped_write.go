package mutants

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// dropWrite marks a failed write as dropped, if the mutation covers it.
func (t *transport) dropWrite(r *http.Request, body []byte) {
	if uid := t.subject(r, body); uid != "" {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.lost = append(t.lost, uid)
	}
}

// isDropped reports whether a write is dropped because it failed before.
func (t *transport) isDropped(r *http.Request, body []byte) bool {
	t.mu.Lock()
	lost := t.lost
	t.mu.Unlock()
	return len(lost) > 0 && slices.Contains(lost, t.subject(r, body))
}

// subject returns the UID of the object of a write that the mutation covers, and "" for
// other writes.
func (t *transport) subject(write *http.Request, body []byte) types.UID {
	if t.drops == "" || !strings.Contains(string(body), t.drops) {
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
