package oracle

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
)

// minSecret is the minimum length of a secret that is searched for; shorter ones match
// by chance.
const minSecret = 8

// knownSecret is a secret value and how far the search for it has come. It stays in
// memory.
type knownSecret struct {
	whose string
	forms [][]byte
	from  uint64 // number of the last searched event
}

// secretKeys are the keys of access Secrets with secret values.
var secretKeys = []string{
	v1alpha2.SecretKeyS3SecretAccessKey, v1alpha2.SecretKeyAzureSASToken, v1alpha2.SecretKeyGCSHMACSecret,
}

// scanObjects collects the values of Secrets, and searches for all known values in the
// other objects.
func (w *Watcher) scanObjects(v *view) {
	for i := range v.secrets.Items {
		s := &v.secrets.Items[i]
		if !isAccessSecret(s) || !v.scope.HasNamespace(s.Namespace) {
			continue
		}
		for _, key := range secretKeys {
			w.addSecret("Secret/"+s.Name, string(s.Data[key]))
		}
	}
	w.addIssuedKeys(v.scope)
	for place, content := range v.contents() {
		for _, s := range w.secrets {
			if s.isIn(content) {
				w.addLeak(SecretLeak{Account: s.whose, Place: place})
			}
		}
	}
}

// contents returns, as JSON by name, the objects that must not contain secrets.
// Kubernetes Events are omitted: the journal has them as components wrote them.
func (v *view) contents() map[string][]byte {
	found := map[string][]byte{}
	add := func(place string, object any) {
		if content, err := json.Marshal(object); err == nil {
			found[place] = content
		}
	}
	for i := range v.claims.Items {
		add("BucketClaim/"+v.claims.Items[i].Name, &v.claims.Items[i])
	}
	for i := range v.buckets.Items {
		add("Bucket/"+v.buckets.Items[i].Name, &v.buckets.Items[i])
	}
	for i := range v.accesses.Items {
		add("BucketAccess/"+v.accesses.Items[i].Name, &v.accesses.Items[i])
	}
	return found
}

// addIssuedKeys adds the keys that the store issued to accounts of the scope.
func (w *Watcher) addIssuedKeys(scope eventscope.Scope) {
	for _, key := range w.emulator.IssuedKeys(w.started) {
		if scope.Names(key.Account) || scope.Names(key.Owner) {
			w.addSecret(key.Account, key.Secret)
		}
	}
}

func (w *Watcher) addSecret(whose, secret string) {
	forms := formsOf(secret)
	known := func(s knownSecret) bool { return bytes.Equal(s.forms[0], forms[0]) }
	if len(secret) < minSecret || slices.ContainsFunc(w.secrets, known) {
		return
	}
	w.secrets = append(w.secrets, knownSecret{whose: whose, forms: forms, from: w.before.After})
}

// scanEvents searches for the secrets in new events.
func (w *Watcher) scanEvents(scope eventscope.Scope) {
	w.addIssuedKeys(scope)
	for i := range w.secrets {
		s := &w.secrets[i]
		for _, e := range slices.Backward(w.events) {
			if e.Seq <= s.from {
				break
			}
			if s.isInEvent(e) {
				w.addLeak(SecretLeak{Account: s.whose, Event: e.Seq, Place: fmt.Sprintf("event %d of the journal: %s", e.Seq, nameOf(e))})
			}
		}
		s.from = w.last
	}
}

func nameOf(e journal.Event) string {
	if e.Seam == journal.SeamLog {
		return "the log of " + e.Component
	}
	return e.Operation.Name + " by " + e.Component
}

func (w *Watcher) addLeak(s SecretLeak) {
	if !slices.Contains(w.leaks, s) {
		w.leaks = append(w.leaks, s)
	}
}

func (s *knownSecret) isIn(content []byte) bool {
	return slices.ContainsFunc(s.forms, func(form []byte) bool { return bytes.Contains(content, form) })
}

func (s *knownSecret) isInEvent(e journal.Event) bool {
	if s.isIn(e.Request) || s.isIn(e.Response) {
		return true
	}
	return slices.ContainsFunc(s.forms, func(form []byte) bool {
		return strings.Contains(e.Message, string(form)) || strings.Contains(e.Operation.Subject, string(form))
	})
}

// formsOf returns the forms in which a secret may appear: plain, quoted, in a URL, in
// base64. The plain form is first.
func formsOf(secret string) [][]byte {
	quoted := fmt.Sprintf("%q", secret)
	forms := []string{
		secret, quoted[1 : len(quoted)-1], url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
	}
	var distinct [][]byte
	for i, form := range forms {
		if slices.Index(forms, form) == i {
			distinct = append(distinct, []byte(form))
		}
	}
	return distinct
}
