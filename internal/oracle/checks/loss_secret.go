package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// editedSecrets finds Secrets of granted accesses whose values a user has changed, and no component
// has restored: applications read credentials that do not work.
func editedSecrets(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		for j := range m.Objects.Accesses {
			a := &m.Objects.Accesses[j]
			if m.Active || !e.Scope.HasNamespace(a.Namespace) || !a.Status.ReadyToUse || a.DeletionTimestamp != nil || unwell(a.Status.Conditions) {
				continue
			}
			for _, claim := range a.Spec.BucketClaims {
				key := evidence.Key(a.Namespace, claim.AccessSecretName)
				if edit := lastEdit(e, key, m.After); edit != 0 {
					found = append(found, Finding{
						Rule:    e.Rule(rule.LossSecretEdited),
						Subject: evidence.Subject(evidence.Secrets, key), Events: []uint64{edit},
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
func lastEdit(e *evidence.Evidence, key string, until uint64) uint64 {
	for _, v := range slices.Backward(e.Of(evidence.Secrets)) {
		byHand := v.ByPerson() && v.Verb == "patch"
		switch {
		case v.Key != key, v.Seq > until, !v.Write(), v.Result == evidence.Rejected, byHand && !editsValues(v):
		case byHand && v.Result == evidence.Done:
			return v.Seq
		default:
			return 0
		}
	}
	return 0
}

func editsValues(v evidence.Version) bool { return v.Asked != nil && len(v.Asked.Data) > 0 }

// takenByPerson reports whether a Secret is one that a user has created, and that no component may
// touch. An access of v1alpha1 has no condition that could say so.
func takenByPerson(e *evidence.Evidence, key string, until uint64) bool {
	for _, v := range slices.Backward(e.Of(evidence.Secrets)) {
		if v.Key != key || v.Seq > until || v.Result != evidence.Done {
			continue
		}
		switch v.Verb {
		case "create":
			return v.ByPerson()
		case "delete":
			return false
		}
	}
	return false
}
