package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// readyInVain finds objects of v1alpha2 that a component wrote as ready before that was true: a Bucket
// without a call that has made or found it, a claim without a ready Bucket, an access without a grant or
// without data in its Secrets. Each version is judged, because an application may act on any. (KEP,
// "Creating a Bucket", 4 and 5, and "Generating Bucket Access Credentials", 4.10.)
func readyInVain(e *evidence.Evidence) []Finding {
	if e.IsV1alpha1() || e.Incomplete {
		return nil
	}
	var found []Finding
	for _, v := range e.Versions {
		if v.ByPerson() || v.Result != evidence.Done || v.Got == nil || !v.Asks(isReady) || !v.Got.Status.ReadyToUse {
			continue
		}
		if missing := missingFor(e, v); missing != "" {
			found = append(found, Finding{
				Rule:    e.Rule(readinessOf[v.Resource]),
				Subject: evidence.Subject(v.Resource, v.Key), Events: []uint64{v.Seq},
				Message: fmt.Sprintf("%s %q was made ready, and %s", evidence.KindOf(v.Resource), v.Key, missing),
			})
		}
	}
	return found
}

func isReady(o *evidence.Object) bool { return o.Status.ReadyToUse }

// missingFor returns what a ready object lacked when it was written, or "".
// readinessOf are the rules about when an object of a resource becomes ready.
var readinessOf = map[string]rule.Rule{
	evidence.Claims: rule.OrderClaimReady, evidence.Buckets: rule.OrderBucketReady, evidence.Accesses: rule.OrderAccessReady,
}

func missingFor(e *evidence.Evidence, v evidence.Version) string {
	switch v.Resource {
	case evidence.Buckets:
		return unless(succeededBefore(e, v, v.Got.BucketID(), evidence.CreateBucket, evidence.GetBucket),
			"no call for its bucket had succeeded")
	case evidence.Claims:
		return unless(wasReady(e, v.Got.Status.BoundBucketName, v), "its Bucket was not ready")
	case evidence.Accesses:
		if !succeededBefore(e, v, v.Got.Status.AccountID, evidence.GrantAccess) {
			return "no call that grants it had succeeded"
		}
		return emptySecretOf(e, v)
	default:
		return ""
	}
}

// wasReady reports whether a Bucket may have been ready when a write began. A watch can be faster than the
// reply to the sidecar.
func wasReady(e *evidence.Evidence, bucket string, v evidence.Version) bool {
	return slices.ContainsFunc(e.Of(evidence.Buckets), func(of evidence.Version) bool {
		return of.Key == bucket && of.Shows(isReady) && of.Began.Before(v.Began)
	})
}

// succeededBefore reports whether a call about an ID had returned OK before a write began.
func succeededBefore(e *evidence.Evidence, v evidence.Version, id string, methods ...string) bool {
	return slices.ContainsFunc(e.Calls, func(c evidence.Call) bool {
		return c.OK && c.ID == id && c.Is(methods...) && !c.Ended.After(v.Began)
	})
}

// emptySecretOf names a Secret of a ready access that never had data before, or returns "".
func emptySecretOf(e *evidence.Evidence, v evidence.Version) string {
	hasData := func(o *evidence.Object) bool { return len(o.Data) > 0 }
	for _, claim := range v.Got.Spec.BucketClaims {
		key := evidence.Key(v.Got.Metadata.Namespace, claim.AccessSecretName)
		if when, _ := persistedOn(e, evidence.Secrets, key, hasData, effect{v.Seq, v.Began}); when != inTime {
			return fmt.Sprintf("its Secret %q had no data", key)
		}
	}
	return ""
}
