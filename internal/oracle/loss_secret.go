package oracle

import (
	"fmt"
	"slices"
)

// editedSecrets finds Secrets of granted accesses whose values a user has changed, and no component
// has restored: applications read credentials that do not work.
func (e *evidence) editedSecrets() []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		for j := range m.Objects.Accesses {
			a := &m.Objects.Accesses[j]
			if m.Active || !e.Scope.HasNamespace(a.Namespace) || !a.Status.ReadyToUse || a.DeletionTimestamp != nil || unwell(a.Status.Conditions) {
				continue
			}
			for _, claim := range a.Spec.BucketClaims {
				key := keyOf(a.Namespace, claim.AccessSecretName)
				if edit := e.lastEdit(key, m.After); edit != 0 {
					found = append(found, Finding{
						Subject: subjectOf(secrets, key), Events: []uint64{edit},
						Message: fmt.Sprintf("BucketAccess %s/%s is ready %s, but the values of its Secret %q, which a person has changed, are not restored",
							a.Namespace, a.Name, m.Name, claim.AccessSecretName),
					})
				}
			}
		}
	}
	return found
}

// lastEdit returns the last write to a Secret until an event, if a user has changed values with it.
func (e *evidence) lastEdit(key string, until uint64) uint64 {
	for _, v := range slices.Backward(e.of(secrets)) {
		byHand := v.byPerson() && v.verb == "patch"
		switch {
		case v.key != key, v.seq > until, !v.write(), v.result == rejected, byHand && !v.editsValues():
		case byHand && v.result == done:
			return v.seq
		default:
			return 0
		}
	}
	return 0
}

func (v version) editsValues() bool { return v.asked != nil && len(v.asked.Data) > 0 }
