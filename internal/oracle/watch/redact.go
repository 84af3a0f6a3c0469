package watch

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

// learnSecrets tells the journal the values of Secrets, which components may have written past the
// seams.
func (w *Watcher) learnSecrets(all []corev1.Secret) {
	for i := range all {
		s := &all[i]
		for _, value := range secretvalues.OfSecret(s) {
			w.journal.AddSecret(s.Namespace, s.Name, value)
		}
	}
}

// redactObjects removes the secret values from objects that must not contain any, and records them
// as leaks. It skips Events of Kubernetes, which the journal has as components have written them.
func (w *Watcher) redactObjects(o *observed.Objects) {
	for i := range o.Claims {
		redactObject(w, &o.Claims[i], "BucketClaim/"+o.Claims[i].Name)
	}
	for i := range o.Buckets {
		redactObject(w, &o.Buckets[i], "Bucket/"+o.Buckets[i].Name)
	}
	for i := range o.Accesses {
		redactObject(w, &o.Accesses[i], "BucketAccess/"+o.Accesses[i].Name)
	}
}

func redactObject[T any](w *Watcher, object *T, place string) {
	text, err := json.Marshal(object)
	if err != nil {
		return
	}
	redacted, leaks := w.journal.RedactJSON(text)
	if len(leaks) == 0 {
		return
	}
	var without T
	_ = json.Unmarshal(redacted, &without) // fields that do not match are dropped
	*object = without
	for _, owner := range leaks {
		if leak := (observed.SecretLeak{Owner: owner, Place: place}); !slices.Contains(w.leaks, leak) {
			w.leaks = append(w.leaks, leak)
		}
	}
}

// redactEvents removes the values from the events that became known after the events were read.
func (w *Watcher) redactEvents() {
	count := w.journal.SecretCount()
	for i := range w.events {
		w.events[i], w.redacted[i] = w.journal.RedactEvent(w.events[i], w.redacted[i]), count
	}
}
