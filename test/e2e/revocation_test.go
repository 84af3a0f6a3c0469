package e2e_test

import (
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// expectRevokedLast: the access is revoked once, and not before the Secret is
// gone, which the KEP wants ("Deleting a BucketAccess", step 3.2): a Secret
// should not outlive the credentials in it.
func (p *pair) expectRevokedLast(history []journal.Event) {
	p.Helper()
	secret := p.Namespace + "/" + p.access.Spec.BucketClaims[0].AccessSecretName
	var gone time.Time // zero while there is a Secret
	revoked := 0
	for _, e := range history {
		switch e.Operation.Subject {
		case secret:
			gone = absence(gone, e)
		case accountID(p.access):
			if e.Operation.Name != "DriverRevokeBucketAccess" || e.Failed() {
				continue
			}
			revoked++
			if gone.IsZero() || e.Time.Before(gone) {
				p.Errorf("%s: access was revoked while there was a Secret: %s", p.Namespace, e)
			}
		}
	}
	if revoked != 1 {
		p.Errorf("%s: access was revoked %d times, want once", p.Namespace, revoked)
	}
	if p.Failed() {
		p.tell(history)
	}
}

// absence returns since when a Secret has been gone, from a request about it, and from the time
// known before.
func absence(before time.Time, e journal.Event) time.Time {
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	switch {
	case resource != "secrets":
		return before
	case e.Outcome == "NotFound": // another client has deleted it
		return e.Time
	case e.Failed():
		return before
	case verb == "create":
		return time.Time{}
	case removes(e):
		return e.Time.Add(e.Duration)
	default:
		return before
	}
}

// removes reports whether a request removed an object: it deleted an object without
// finalizers, or it removed the last finalizer of a deleting one.
func removes(e journal.Event) bool {
	var left metav1.PartialObjectMetadata
	if json.Unmarshal(e.Response, &left) != nil {
		return false
	}
	deleted := strings.HasPrefix(e.Operation.Name, "delete ") || left.DeletionTimestamp != nil
	return deleted && len(left.Finalizers) == 0
}
