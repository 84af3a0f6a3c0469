package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// KEP: OVER-1, FLOW-CREATE-5.1, TEST-3
func TestCreationInAnyOrder(t *testing.T) {
	cl := newTestCluster(t)
	var pairs []*pair
	t.Run("orders", func(t *testing.T) {
		for name, kind := range map[string]struct {
			order []string
			pair  func(*testCluster) *pair
		}{
			"dynamic": {
				[]string{theClass, theAccessClass, theClaim, theAccess},
				func(cl *testCluster) *pair { return cl.dynamicPair(v1alpha2.DeletionPolicyDelete) },
			},
			// KEP: FLOW-STATIC-4.9
			"static": {[]string{theBucket, theAccessClass, theClaim, theAccess}, (*testCluster).staticPair},
		} {
			for i, order := range permutations(kind.order...) {
				p, patient := kind.pair(cl.inNamespace(t)), i%2 == 0
				pairs = append(pairs, p)
				t.Run(fmt.Sprintf("%s/%s/patient=%t", name, strings.Join(order, "-"), patient), func(t *testing.T) {
					t.Parallel()
					p.TB = t
					p.appear(order, patient)
				})
			}
		}
	})
	cl.settle(t)
	history := cl.history(t)
	for _, p := range pairs {
		p.TB = t
		p.expectOneCallEach(history)
	}
}

// appear creates the objects in an order: at once, or each when the earlier objects have their final
// conditions. In the end the access is ready and its Secret is filled.
func (p *pair) appear(order []string, patient bool) {
	p.Helper()
	there := map[string]bool{}
	for _, what := range order {
		p.Make(p.objects[what])
		there[what] = true
		if patient {
			p.expectWaiting(there)
		}
	}
	p.WaitReady(p.claim, p.access)
	if diff := cmp.Diff(s3Data(p.access, p.bucketID()), p.dataOf(secretOf(p.access, 0))); diff != "" {
		p.Errorf("data of the Secret (-want +got):\n%s", diff)
	}
}

// expectWaiting waits until claim and access report the objects that they wait for, if they exist
// and something else does not.
func (p *pair) expectWaiting(there map[string]bool) {
	p.Helper()
	source, missing := theClass, v1alpha2.ReasonBucketClassNotFound
	if p.existing != nil {
		source, missing = theBucket, v1alpha2.ReasonBucketNotFound
	}
	unknown := func(object client.Object, reason string) {
		p.WaitCondition(object, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, reason)
		p.WaitCondition(object, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, reason)
	}
	switch {
	case there[theClaim] && !there[source]:
		unknown(p.claim, missing)
	case there[theClaim]:
		p.WaitReady(p.claim)
	}
	switch {
	case !there[theAccess]:
	case !there[theAccessClass]:
		unknown(p.access, v1alpha2.ReasonBucketAccessClassNotFound)
	case !there[theClaim]:
		unknown(p.access, v1alpha2.ReasonBucketClaimNotFound)
	case !there[source]:
		unknown(p.access, v1alpha2.ReasonWaitingForBucket)
	}
}

// expectOneCallEach: whatever the order, the driver is asked for each thing once.
// There is one exception, which the KEP has in "Accessing an Existing OSP
// Bucket", step 2.5: an existing Bucket is looked at again if it was updated
// meanwhile. The update is the binding to its claim; it makes the sidecar's write
// fail with a conflict.
func (p *pair) expectOneCallEach(history []journal.Event) {
	p.Helper()
	dynamic, static := 1, 0
	if p.existing != nil {
		dynamic, static = 0, 1+conflicts(history, "patch buckets/status", p.existing.Name)
	}
	bucket, account := p.bucketID(), accountID(p.access)
	got := map[string]int{
		"GenerateBucketId": count(p.driver, "DriverGenerateBucketId", v1alpha2.BucketNameForClaim(p.claim.UID)),
		"CreateBucket":     count(p.driver, "DriverCreateBucket", bucket),
		"GetBucket":        count(p.driver, "DriverGetBucket", bucket),
		"GenerateAccessId": count(p.driver, "DriverGenerateBucketAccessId", v1alpha2.AccountNameForAccess(p.access.UID)),
		"Grant":            count(p.driver, "DriverGrantBucketAccess", account),
	}
	want := map[string]int{
		"GenerateBucketId": dynamic, "CreateBucket": dynamic, "GetBucket": static, "GenerateAccessId": 1, "Grant": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("calls for %s/%s (-want +got):\n%s", p.Namespace, p.claim.Name, diff)
	}
}

// conflicts counts the writes that have failed because another one was faster.
func conflicts(history []journal.Event, operation, subject string) int {
	n := 0
	for _, e := range history {
		if e.Operation.Name == operation && e.Operation.Subject == subject && e.Outcome == "Conflict" {
			n++
		}
	}
	return n
}
