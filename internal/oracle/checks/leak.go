package checks

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// leaks finds objects in the backend or in the cluster that no component will delete.
func leaks(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		if m.Backend != nil {
			found = append(found, leakedBuckets(e, m)...)
			found = append(found, leakedAccounts(e, m)...)
			found = append(found, leakedUploads(e, m)...)
			found = append(found, leakedFiles(e, m)...)
		} else {
			found = append(found, forgottenIDs(e, m)...)
		}
		found = append(found, leakedSecrets(e, m)...)
	}
	return append(found, changingIDs(e)...)
}

func leakedBuckets(e *evidence.Evidence, m *observed.Observation) []Finding {
	recorded := RecordedBuckets(&m.Objects)
	var found []Finding
	for _, b := range m.Backend.Buckets {
		switch {
		case b.Owner == backend.RootAccount, recorded[b.Name], !e.Owns(b.Name, b.Owner), e.MayLeak(b.Name):
		case wasThere(e, b.Name, b.UID), retained(e, b.Name, m.Until):
		default:
			found = append(found, Finding{
				Rule:    e.Rule(rule.LeakBucket),
				Subject: "bucket " + b.Name,
				Message: fmt.Sprintf("the backend has bucket %q %s, which no Bucket object records: no component will delete it", b.Name, m.Name),
				Events:  callsFor(e, b.Name),
			})
		}
	}
	return found
}

// RecordedBuckets returns the IDs of buckets that Buckets record.
func RecordedBuckets(o *observed.Objects) map[string]bool {
	recorded := map[string]bool{}
	for i := range o.Buckets {
		recorded[o.Buckets[i].Status.BucketID] = true
		recorded[o.Buckets[i].Spec.ExistingBucketID] = true
	}
	return recorded
}

func leakedAccounts(e *evidence.Evidence, m *observed.Observation) []Finding {
	recorded := RecordedAccounts(&m.Objects)
	var found []Finding
	for _, a := range m.Backend.Accounts {
		switch {
		case a.Admin, a.ID == backend.RootAccount, recorded[a.ID], !e.Owns(a.ID, a.Owner), e.MayLeak(a.ID), hadAccount(e, a.ID):
		default:
			found = append(found, Finding{
				Rule:    e.Rule(rule.LeakAccount),
				Subject: "account " + a.ID,
				Message: fmt.Sprintf("the backend has account %q %s, which no BucketAccess records: no component will revoke its credentials",
					a.ID, m.Name),
				Events: callsFor(e, a.ID),
			})
		}
	}
	return found
}

// RecordedAccounts returns the IDs of accounts that BucketAccesses record.
func RecordedAccounts(o *observed.Objects) map[string]bool {
	recorded := map[string]bool{}
	for i := range o.Accesses {
		recorded[o.Accesses[i].Status.AccountID] = true
		for _, former := range formerAccounts(o.Accesses[i].Annotations) {
			recorded[former] = true
		}
	}
	return recorded
}

// forgottenIDs finds buckets and accounts that a driver has created, and that no component has
// deleted. It judges backends that only the driver can read, by the calls alone.
func forgottenIDs(e *evidence.Evidence, m *observed.Observation) []Finding {
	buckets, accounts := RecordedBuckets(&m.Objects), RecordedAccounts(&m.Objects)
	var found []Finding
	for id, c := range createdIDs(e, m.Until) {
		finding := Finding{Rule: e.Rule(rule.LeakBucket), Events: callsFor(e, id)}
		switch {
		case e.MayLeak(id):
			continue
		case c.Is(evidence.CreateBucket) && !buckets[id] && !retained(e, id, m.Until):
			finding.Subject = "bucket " + id
			finding.Message = fmt.Sprintf("the driver has created bucket %q, no Bucket records it %s, and DriverDeleteBucket has not "+
				"returned OK for it: it is left in the backend", id, m.Name)
		case c.Is(evidence.GrantAccess) && !accounts[id]:
			finding.Subject, finding.Rule = "account "+id, e.Rule(rule.LeakAccount)
			finding.Message = fmt.Sprintf("the driver has granted access to account %q, no BucketAccess records it %s, and "+
				"DriverRevokeBucketAccess has not returned OK for it: its credentials stay valid", id, m.Name)
		default:
			continue
		}
		found = append(found, finding)
	}
	slices.SortFunc(found, func(a, b Finding) int { return cmp.Compare(a.Subject, b.Subject) })
	return found
}

// createdIDs returns the calls that have created a bucket or account which no later call has deleted, by
// the IDs.
func createdIDs(e *evidence.Evidence, until uint64) map[string]evidence.Call {
	created := map[string]evidence.Call{}
	for _, c := range e.Calls {
		switch {
		case c.Seq > until || !c.OK || c.ID == "":
		case c.Is(evidence.CreateBucket, evidence.GrantAccess):
			created[c.ID] = c
		case c.Is(evidence.DeleteBucket, evidence.RevokeAccess):
			delete(created, c.ID)
		}
	}
	return created
}

// formerAccounts returns the accounts of an access of v1alpha1 besides the one in its status.
func formerAccounts(annotations map[string]string) []string {
	grant, _ := hub.GrantOf(annotations)
	return grant.FormerAccounts
}

// isKnown reports whether an ID was ever in an object, or its bucket or account was removed.
func isKnown(e *evidence.Evidence, id string) bool {
	has := func(o *evidence.Object) bool {
		return o.BucketID() == id || slices.Contains(append(formerAccounts(o.Metadata.Annotations), o.Status.AccountID), id)
	}
	return everHad(e, evidence.Buckets, has) || everHad(e, evidence.Accesses, has) ||
		slices.ContainsFunc(e.Calls, func(c evidence.Call) bool {
			return c.Is(evidence.DeleteBucket, evidence.RevokeAccess) && c.OK && c.ID == id
		})
}

// leakedSecrets finds Secrets of COSI whose access is deleted.
func leakedSecrets(e *evidence.Evidence, m *observed.Observation) []Finding {
	there := map[string]bool{}
	for i := range m.Objects.Accesses {
		there[evidence.Key(m.Objects.Accesses[i].Namespace, m.Objects.Accesses[i].Name)] = true
	}
	var found []Finding
	for _, s := range m.Objects.Secrets {
		// Without COSI's finalizer, the garbage collector deletes it.
		held := slices.Contains(s.Finalizers, v1alpha2.ProtectionFinalizer)
		if there[evidence.Key(s.Namespace, s.Access)] || !held || !e.Scope.HasNamespace(s.Namespace) || e.Touched("Secret/"+s.Name) {
			continue
		}
		lacks := "no BucketAccess names it"
		if s.Access != "" {
			lacks = fmt.Sprintf("its BucketAccess %q does not exist", s.Access)
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LeakSecret),
			Subject: "Secret/" + s.Name,
			Message: fmt.Sprintf("Secret %s/%s keeps COSI's finalizer %s, and %s", s.Namespace, s.Name, m.Name, lacks),
		})
	}
	return found
}

// wasThere reports whether a bucket existed before the run.
func wasThere(e *evidence.Evidence, name, uid string) bool {
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

func hadAccount(e *evidence.Evidence, id string) bool {
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
func retained(e *evidence.Evidence, id string, until uint64) bool {
	var last *evidence.Object
	for _, v := range e.Of(evidence.Buckets) {
		if v.Seq <= until && v.Got != nil && v.Got.BucketID() == id && !v.Got.OlderThan(last) {
			last = v.Got
		}
	}
	if last == nil {
		return e.Incomplete
	}
	return last.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain || last.Spec.ExistingBucketID != ""
}

// callsFor returns the calls that created something in the backend for an ID.
func callsFor(e *evidence.Evidence, id string) []uint64 {
	var found []uint64
	for _, c := range e.Calls {
		if c.ID == id && c.Is(evidence.CreateBucket, evidence.GrantAccess) {
			found = append(found, c.Seq)
		}
	}
	return found
}

// changingIDs finds drivers that return two IDs for one name. COSI loses the bucket or account of
// the first ID once the second is persisted. (KEP, DriverGenerateBucketId: it is retried with the
// same name.) An ID of v1alpha1 is not lost if it was persisted, or if the driver has removed its
// bucket or account. An invalid ID is of nothing.
func changingIDs(e *evidence.Evidence) []Finding {
	type asked struct{ component, method, name string }
	named := map[asked]evidence.Call{}
	var found []Finding
	for _, c := range e.Calls {
		if !c.AsksForBucket() && !c.AsksForAccount() || !c.OK || c.ID == "" || isInvalid(c) {
			continue
		}
		key := asked{c.Component, c.Method, c.Name}
		first, again := named[key]
		if !again || c.IsV1alpha1 && isKnown(e, first.ID) {
			named[key] = c
		} else if first.ID != c.ID {
			found = append(found, Finding{
				Rule:    e.Rule(idsOf(c)),
				Subject: c.Name, Events: []uint64{first.Seq, c.Seq},
				Message: fmt.Sprintf("the driver has named two IDs for %q, first %q and then %q: a resource with the first would leak",
					c.Name, first.ID, c.ID),
			})
		}
	}
	return found
}

var idPattern = regexp.MustCompile(v1alpha2.IDPattern)

// isInvalid reports whether v1alpha2 does not allow the ID that a driver has named: no sidecar can use it.
func isInvalid(c evidence.Call) bool {
	return !c.IsV1alpha1 && (len(c.ID) > v1alpha2.IDMaxLength || !idPattern.MatchString(c.ID))
}

// idsOf returns the rule that one call for a name returns one ID.
func idsOf(c evidence.Call) rule.Rule {
	if c.AsksForBucket() {
		return rule.LeakBucketIDs
	}
	return rule.LeakAccountIDs
}
