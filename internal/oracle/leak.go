package oracle

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

// leaks finds objects in the backend or in the cluster that no component will delete.
func leaks(e *evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		if m.Backend != nil {
			found = append(found, e.leakedBuckets(m)...)
			found = append(found, e.leakedAccounts(m)...)
			found = append(found, e.leakedUploads(m)...)
			found = append(found, e.leakedFiles(m)...)
		}
		found = append(found, e.leakedSecrets(m)...)
	}
	return append(found, e.changingIDs()...)
}

func (e *evidence) leakedBuckets(m *Observation) []Finding {
	recorded := map[string]bool{}
	for i := range m.Objects.Buckets {
		recorded[m.Objects.Buckets[i].Status.BucketID] = true
		recorded[m.Objects.Buckets[i].Spec.ExistingBucketID] = true
	}
	var found []Finding
	for _, b := range m.Backend.Buckets {
		switch {
		case b.Owner == backend.Administrator, recorded[b.Name], !e.owns(b.Name, b.Owner), e.mayLeak(b.Name):
		case e.wasThere(b.Name, b.UID), e.retained(b.Name, m.Until):
		default:
			found = append(found, Finding{
				Subject: "bucket " + b.Name,
				Message: fmt.Sprintf("the backend has bucket %q %s, which no Bucket object records: no component will delete it", b.Name, m.Name),
				Events:  e.callsFor(b.Name),
			})
		}
	}
	return found
}

func (e *evidence) leakedAccounts(m *Observation) []Finding {
	recorded := map[string]bool{}
	for i := range m.Objects.Accesses {
		recorded[m.Objects.Accesses[i].Status.AccountID] = true
		for _, former := range formerAccounts(m.Objects.Accesses[i].Annotations) {
			recorded[former] = true
		}
	}
	var found []Finding
	for _, a := range m.Backend.Accounts {
		switch {
		case a.Admin, a.ID == backend.Administrator, recorded[a.ID], !e.owns(a.ID, a.Owner), e.mayLeak(a.ID), e.hadAccount(a.ID):
		default:
			found = append(found, Finding{
				Subject: "account " + a.ID,
				Message: fmt.Sprintf("the backend has account %q %s, which no BucketAccess records: no component will revoke its credentials",
					a.ID, m.Name),
				Events: e.callsFor(a.ID),
			})
		}
	}
	return found
}

// formerAccounts returns the accounts of an access of v1alpha1 besides the one in its status.
func formerAccounts(annotations map[string]string) []string {
	grant, _ := hub.GrantOf(annotations)
	return grant.FormerAccounts
}

// isKnown reports whether an ID was ever in an object, or its bucket or account was removed.
func (e *evidence) isKnown(id string) bool {
	has := func(o *object) bool {
		return o.bucketID() == id || slices.Contains(append(formerAccounts(o.Metadata.Annotations), o.Status.AccountID), id)
	}
	return e.names(buckets, has) || e.names(accesses, has) ||
		slices.ContainsFunc(e.calls, func(c call) bool { return c.is(deleteBucket, revokeAccess) && c.ok && c.id == id })
}

// leakedSecrets finds Secrets of COSI whose access is deleted.
func (e *evidence) leakedSecrets(m *Observation) []Finding {
	there := map[string]bool{}
	for i := range m.Objects.Accesses {
		there[keyOf(m.Objects.Accesses[i].Namespace, m.Objects.Accesses[i].Name)] = true
	}
	var found []Finding
	for _, s := range m.Objects.Secrets {
		// Without COSI's finalizer, the garbage collector deletes it.
		held := slices.Contains(s.Finalizers, v1alpha2.ProtectionFinalizer)
		if there[keyOf(s.Namespace, s.Access)] || !held || !e.Scope.HasNamespace(s.Namespace) || e.touched("Secret/"+s.Name) {
			continue
		}
		found = append(found, Finding{
			Subject: "Secret/" + s.Name,
			Message: fmt.Sprintf("Secret %s/%s is held for BucketAccess %q %s, which does not exist", s.Namespace, s.Name, s.Access, m.Name),
		})
	}
	return found
}

// wasThere reports whether a bucket existed before the run.
func (e *evidence) wasThere(name, uid string) bool {
	if e.Before == nil || e.Before.Backend == nil {
		return false
	}
	for _, b := range e.Before.Backend.Buckets {
		if b.Name == name && b.UID == uid {
			return true
		}
	}
	return false
}

func (e *evidence) hadAccount(id string) bool {
	if e.Before == nil || e.Before.Backend == nil {
		return false
	}
	for _, a := range e.Before.Backend.Accounts {
		if a.ID == id {
			return true
		}
	}
	return false
}

// retained reports whether the latest version of the Bucket of an ID had the policy Retain.
func (e *evidence) retained(id string, until uint64) bool {
	var last *object
	for _, v := range e.of(buckets) {
		if v.seq <= until && v.got != nil && v.got.bucketID() == id {
			last = v.got
		}
	}
	if last == nil {
		return e.Incomplete
	}
	return last.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain || last.Spec.ExistingBucketID != ""
}

// callsFor returns the calls that created something in the backend for an ID.
func (e *evidence) callsFor(id string) []uint64 {
	var found []uint64
	for _, c := range e.calls {
		if c.id == id && c.is(createBucket, grantAccess) {
			found = append(found, c.seq)
		}
	}
	return found
}

// changingIDs finds drivers that return two IDs for one name. COSI loses the bucket or account of
// the first ID once the second is persisted. (KEP, DriverGenerateBucketId: it is retried with the
// same name.) An ID of v1alpha1 is not lost if it was persisted, or if the driver has removed its
// bucket or account.
func (e *evidence) changingIDs() []Finding {
	type asked struct{ component, method, name string }
	named := map[asked]call{}
	var found []Finding
	for _, c := range e.calls {
		if !c.asksForBucket() && !c.asksForAccount() || !c.ok || c.id == "" {
			continue
		}
		key := asked{c.component, c.method, c.name}
		first, again := named[key]
		if !again || c.isV1alpha1 && e.isKnown(first.id) {
			named[key] = c
		} else if first.id != c.id {
			found = append(found, Finding{
				Subject: c.name, Events: []uint64{first.seq, c.seq},
				Message: fmt.Sprintf("the driver has named two IDs for %q, first %q and then %q: a resource with the first would leak",
					c.name, first.id, c.id),
			})
		}
	}
	return found
}
