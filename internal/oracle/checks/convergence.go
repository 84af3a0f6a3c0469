package checks

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// unconverged finds objects that differ from their spec without a condition that explains it. It
// checks observations in which all components are idle, or end again and again without a step forward, so
// that no component will repair them.
func unconverged(e *evidence.Evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		w := &stateCheck{Evidence: e, observation: m}
		if m.Active {
			if w.loop = crashLoopBefore(e, i); w.loop == nil {
				continue // a component may repair it, and the silence oracle reports the component
			}
		}
		found = append(found, w.all()...)
	}
	return found
}

// stateCheck looks up the objects of one observation.
type stateCheck struct {
	*evidence.Evidence
	observation *observed.Observation
	loop        *crashLoop // of a component that can repair nothing
}

func (sc *stateCheck) all() (found []Finding) {
	objects := &sc.observation.Objects
	for i := range objects.Claims {
		if o := &objects.Claims[i]; sc.Scope.HasNamespace(o.Namespace) {
			found = append(found, sc.report("BucketClaim", o, problem{ofClaim(o), sc.claim(o)})...)
		}
	}
	for i := range objects.Buckets {
		if o := &objects.Buckets[i]; oursAt(sc.Evidence, o) {
			found = append(found, sc.report("Bucket", o, problem{sc.ruleOf(o), sc.bucket(o)})...)
		}
	}
	for i := range objects.Accesses {
		if o := &objects.Accesses[i]; sc.Scope.HasNamespace(o.Namespace) {
			found = append(found, sc.report("BucketAccess", o, problem{ofAccess(o), sc.access(o)})...)
		}
	}
	return found
}

// problem is what is wrong with an object, and the rule that demands otherwise. Without a text there is none.
type problem struct {
	rule rule.Rule
	text string
}

func ofClaim(o *v1alpha2.BucketClaim) rule.Rule {
	if o.DeletionTimestamp != nil {
		return rule.ConvergenceClaimDeleted
	}
	return rule.ConvergenceClaim
}

func (sc *stateCheck) ruleOf(o *v1alpha2.Bucket) rule.Rule {
	switch {
	case o.DeletionTimestamp != nil:
		return rule.ConvergenceBucketDeleted
	case v1alpha2.IsBucketClaimBeingDeleted(o), sc.isLeft(o, sc.claimOf(o)):
		return rule.ConvergenceBucketLeft
	}
	return rule.ConvergenceBucket
}

func ofAccess(o *v1alpha2.BucketAccess) rule.Rule {
	if o.DeletionTimestamp != nil {
		return rule.ConvergenceAccessDeleted
	}
	return rule.ConvergenceAccess
}

func (sc *stateCheck) report(kind string, o metav1.Object, wrong problem) []Finding {
	if wrong.text == "" || sc.Touched(kind+"/"+o.GetName()) {
		return nil
	}
	found := Finding{
		Rule:    sc.Rule(wrong.rule),
		Subject: kind + "/" + o.GetName(),
		Message: fmt.Sprintf("%s %q %s %s", kind, evidence.Key(o.GetNamespace(), o.GetName()), wrong.text, sc.observation.Name),
	}
	if sc.loop != nil {
		found.Message += "; " + sc.loop.String()
		found.Events = sc.loop.ends
	}
	return []Finding{found}
}

func unwell(conditions []metav1.Condition) bool {
	return meta.IsStatusConditionFalse(conditions, v1alpha2.ConditionResourcesValidated) ||
		meta.IsStatusConditionTrue(conditions, v1alpha2.ConditionProvisionFailed) ||
		meta.IsStatusConditionFalse(conditions, v1alpha2.ConditionProvisioned)
}

// failing reports whether a condition reports a failure that is retried.
func failing(conditions []metav1.Condition) bool {
	failed := meta.FindStatusCondition(conditions, v1alpha2.ConditionProvisionFailed)
	return failed != nil && failed.Status == metav1.ConditionTrue && failed.Reason != v1alpha2.ReasonDriverRefused
}

func says(conditions []metav1.Condition, reasons ...string) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return slices.Contains(reasons, c.Reason) })
}

func ready(readyToUse, deleting bool, conditions []metav1.Condition) (problem string, isReady bool) {
	switch is := provisioned(conditions, deleting); {
	case is && !readyToUse:
		return "is provisioned, but not ready to use", false
	case deleting && readyToUse:
		return "is being deleted, but ready to use", false
	default:
		return "", is && readyToUse
	}
}

// held reports whether foreign finalizers block the deletion of an object.
func held(o metav1.Object) bool {
	return slices.ContainsFunc(o.GetFinalizers(), func(f string) bool { return f != v1alpha2.ProtectionFinalizer })
}

func (sc *stateCheck) claim(o *v1alpha2.BucketClaim) string {
	deleting := o.DeletionTimestamp != nil
	problem, isReady := ready(o.Status.ReadyToUse, deleting, o.Status.Conditions)
	bucket := sc.bucketOf(o)
	switch {
	case isCondemned(bucket) && !deleting:
		return condemnedClaim(o)
	case problem != "":
		return problem
	case deleting:
		return sc.deletingClaim(o, bucket)
	case sc.misbound(o, isReady) != "":
		return sc.misbound(o, isReady)
	case isReady, unwell(o.Status.Conditions):
		return ""
	case says(o.Status.Conditions, v1alpha2.ReasonBucketClassNotFound):
		return unless(!sc.hasClass(o.Spec.BucketClassName), "waits for a BucketClass that is there")
	case bucket == nil:
		return unless(o.Spec.ExistingBucketName != "", "has no Bucket, and no condition explains it")
	}
	_, bucketReady := ready(bucket.Status.ReadyToUse, bucket.DeletionTimestamp != nil, bucket.Status.Conditions)
	return unless(!bucketReady, "is not ready, although its Bucket is")
}

// hasClass reports whether a BucketClass exists.
func (sc *stateCheck) hasClass(name string) bool {
	return slices.ContainsFunc(sc.observation.Objects.BucketClasses, func(c v1alpha2.BucketClass) bool { return c.Name == name })
}

// isCondemned reports whether a Bucket is being deleted, or announced to be.
func isCondemned(bucket *v1alpha2.Bucket) bool {
	return bucket != nil && (bucket.DeletionTimestamp != nil || v1alpha2.IsBucketClaimBeingDeleted(bucket))
}

// condemnedClaim describes the problem of a live claim whose Bucket is condemned.
func condemnedClaim(o *v1alpha2.BucketClaim) string {
	if o.Status.ReadyToUse {
		return "is ready to use, although its Bucket is being deleted"
	}
	return unless(unwell(o.Status.Conditions) || says(o.Status.Conditions, v1alpha2.ReasonBucketDeleting),
		"does not report that its Bucket is being deleted")
}

func (sc *stateCheck) deletingClaim(o *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) string {
	if bucket != nil && bucket.DeletionTimestamp != nil && v1alpha2.IsBucketClaimBeingDeleted(bucket) && !sc.used(o) && isProtected(o) {
		return "is not released, although its Bucket is announced and being deleted: its namespace waits for a driver"
	}
	if sc.used(o) || bucket != nil || held(o) || unwell(o.Status.Conditions) {
		return "" // the Bucket, or the access, must explain it
	}
	return "is being deleted, and nothing that it could wait for is there"
}

func isProtected(o metav1.Object) bool {
	return slices.Contains(o.GetFinalizers(), v1alpha2.ProtectionFinalizer)
}

func (sc *stateCheck) misbound(o *v1alpha2.BucketClaim, isReady bool) string {
	switch name := o.Status.BoundBucketName; {
	case !sc.everBound(o):
		return fmt.Sprintf("is bound to Bucket %q, which was never bound to it", name)
	case isReady && sc.named(name) == nil:
		return fmt.Sprintf("is ready, and its Bucket %q does not exist", name)
	}
	return ""
}

// unless returns the problem, unless it is explained.
func unless(explained bool, problem string) string {
	if explained {
		return ""
	}
	return problem
}

func (sc *stateCheck) bucket(o *v1alpha2.Bucket) string {
	problem, isReady := ready(o.Status.ReadyToUse, o.DeletionTimestamp != nil, o.Status.Conditions)
	claim := sc.claimOf(o)
	switch {
	case !sc.served(o.Spec.DriverName), unwell(o.Status.Conditions):
		return ""
	case o.DeletionTimestamp != nil:
		// A Bucket stays as long as its claim and its accesses.
		return unless(held(o) || claim != nil && claim.DeletionTimestamp == nil || sc.granted(o),
			"is being deleted, and no condition explains why it stays")
	case v1alpha2.IsBucketClaimBeingDeleted(o), sc.isLeft(o, claim):
		return unless(claim != nil || sc.unclaimed(o) || o.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain || o.Spec.ExistingBucketID != "",
			"is left, although its BucketClaim is gone and its policy is Delete")
	case problem == "" && !isReady:
		return "is not provisioned, and no condition explains it"
	}
	return problem
}

// isLeft reports whether the claim of a Bucket of v1alpha1 does not exist any more, for which
// v1alpha1 has no annotation.
func (sc *stateCheck) isLeft(o *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	return sc.IsV1alpha1() && claim == nil && o.Spec.BucketClaimRef.UID != ""
}

func (sc *stateCheck) access(o *v1alpha2.BucketAccess) string {
	deleting := o.DeletionTimestamp != nil
	problem, isReady := ready(o.Status.ReadyToUse, deleting, o.Status.Conditions)
	switch {
	case problem != "":
		return problem
	case isReady, unwell(o.Status.Conditions), o.Status.DriverName != "" && !sc.served(o.Status.DriverName):
		return ""
	case deleting:
		return unless(held(o) || says(o.Status.Conditions, v1alpha2.ReasonDeletionBlocked), "is being deleted, and does not say why it stays")
	case sc.IsV1alpha1() && sc.observation.Objects.AccessClass(o.Spec.BucketAccessClassName) == nil:
		return "" // its driver is unknown
	case o.Status.DriverName != "":
		return unless(sc.lacksBuckets(o), "is not granted, although its driver is there")
	case says(o.Status.Conditions, v1alpha2.ReasonBucketAccessClassNotFound):
		return unless(sc.observation.Objects.AccessClass(o.Spec.BucketAccessClassName) == nil,
			"waits for a BucketAccessClass that is there")
	}
	return unless(sc.lacksBuckets(o), "is not handed to its driver, although all its BucketClaims are ready")
}

// granted reports whether an access has been handed to its driver with a Bucket.
func (sc *stateCheck) granted(o *v1alpha2.Bucket) bool {
	return slices.ContainsFunc(sc.observation.Objects.Accesses, func(a v1alpha2.BucketAccess) bool {
		return slices.ContainsFunc(a.Status.AccessedBuckets, func(b v1alpha2.AccessedBucket) bool { return b.BucketName == o.Name })
	})
}

// lacksBuckets reports whether a claim of an access is missing or not ready.
func (sc *stateCheck) lacksBuckets(o *v1alpha2.BucketAccess) bool {
	return slices.ContainsFunc(o.Spec.BucketClaims, func(wanted v1alpha2.BucketClaimAccess) bool {
		return !slices.ContainsFunc(sc.observation.Objects.Claims, func(c v1alpha2.BucketClaim) bool {
			return c.Namespace == o.Namespace && c.Name == wanted.BucketClaimName && c.Status.ReadyToUse
		})
	})
}

// served reports whether a sidecar of the driver runs.
func (sc *stateCheck) served(driver string) bool {
	for _, served := range sc.DriverNames {
		if served == driver {
			return true
		}
	}
	return false
}

func (sc *stateCheck) bucketOf(c *v1alpha2.BucketClaim) *v1alpha2.Bucket {
	for i := range sc.observation.Objects.Buckets {
		if b := &sc.observation.Objects.Buckets[i]; b.Spec.BucketClaimRef.UID == c.UID || b.Name == c.Spec.ExistingBucketName {
			return b
		}
	}
	return nil
}

// unclaimed reports whether the claim of a Bucket has lost its finalizer without COSI: the Bucket
// may stay then, until it is deleted.
func (sc *stateCheck) unclaimed(b *v1alpha2.Bucket) bool {
	return sc.Unprotected[b.Spec.BucketClaimRef.UID]
}

func (sc *stateCheck) named(name string) *v1alpha2.Bucket {
	for i := range sc.observation.Objects.Buckets {
		if b := &sc.observation.Objects.Buckets[i]; b.Name == name {
			return b
		}
	}
	return nil
}

// everBound reports whether a claim's Bucket was ever bound to it. A write to a claim may have been
// meant for an earlier one of the same name.
func (sc *stateCheck) everBound(c *v1alpha2.BucketClaim) bool {
	name := c.Status.BoundBucketName
	if name == "" || sc.Incomplete {
		return true
	}
	refers := func(o *evidence.Object) bool { return o != nil && o.Spec.BucketClaimRef.UID == c.UID }
	return slices.ContainsFunc(sc.Of(evidence.Buckets), func(v evidence.Version) bool {
		return v.Key == name && (refers(v.Got) || refers(v.Asked))
	})
}

func (sc *stateCheck) claimOf(b *v1alpha2.Bucket) *v1alpha2.BucketClaim {
	for i := range sc.observation.Objects.Claims {
		if c := &sc.observation.Objects.Claims[i]; b.Spec.BucketClaimRef.UID == c.UID {
			return c
		}
	}
	return nil
}

func (sc *stateCheck) used(c *v1alpha2.BucketClaim) bool {
	return slices.ContainsFunc(sc.observation.Objects.Accesses, func(a v1alpha2.BucketAccess) bool {
		return a.Namespace == c.Namespace && slices.ContainsFunc(a.Spec.BucketClaims, func(wanted v1alpha2.BucketClaimAccess) bool {
			return wanted.BucketClaimName == c.Name
		})
	})
}
