package e2e_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// kinds are the ways in which a claim gets its bucket, and what becomes of the
// bucket with the claim.
var kinds = map[string]struct {
	pair func(*testCluster) *pair
	// kept is set if the backend's bucket outlives the claim.
	kept bool
}{
	"delete": {func(cl *testCluster) *pair { return cl.dynamicPair(v1alpha2.DeletionPolicyDelete) }, false},
	"retain": {func(cl *testCluster) *pair { return cl.dynamicPair(v1alpha2.DeletionPolicyRetain) }, true},
	"static": {(*testCluster).staticPair, true},
}

// TestDeletion deletes all parts of a claim with an access, in all orders, all at once, and with its
// namespace. Nothing may remain but the bucket that the policy retains.
func TestDeletion(t *testing.T) {
	cl := newTestCluster(t)
	var pairs []*pair
	newPair := func(t *testing.T, kind string) *pair {
		t.Helper()
		p := kinds[kind].pair(cl.inNamespace(t))
		pairs = append(pairs, p)
		return p
	}
	// The namespace controller takes its time, so it begins before the others.
	doomed := map[string]*pair{}
	for kind := range kinds {
		p := newPair(t, kind)
		p.rise()
		p.Remove(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Namespace}})
		doomed[kind] = p
	}
	// KEP: CHANGE-2, FLOW-DELETE-0.1
	t.Run("order", func(t *testing.T) {
		for kind := range kinds {
			for _, order := range deletionOrders() {
				p := newPair(t, kind)
				p.begin()
				t.Run(kind+"/"+strings.Join(order, "-"), func(t *testing.T) {
					t.Parallel()
					p.TB = t
					p.await()
					p.fall(order)
					p.expectNothingLeft(kinds[kind].kept)
				})
			}
		}
	})
	// KEP: TEST-6
	t.Run("at once", func(t *testing.T) {
		for kind := range kinds {
			for range 2 {
				p := newPair(t, kind)
				p.begin()
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					p.TB = t
					p.await()
					p.fallAtOnce()
					p.expectNothingLeft(kinds[kind].kept)
				})
			}
		}
	})
	// KEP: OVER-7
	t.Run("by the user", func(t *testing.T) {
		for _, kind := range []string{"retain", "static"} {
			for _, order := range permutations(theClaim, theAccess) {
				p := newPair(t, kind)
				t.Run(kind+"/"+strings.Join(order, "-"), func(t *testing.T) {
					p.TB = t
					p.rise()
					p.fall(order)
					p.WaitGone(p.claim, p.access, p.objects[theSecret])
					p.expectRetained()
					p.Remove(p.objects[theBucket])
					p.expectNothingLeft(true)
				})
			}
		}
	})
	t.Run("namespace", func(t *testing.T) {
		for kind, p := range doomed {
			t.Run(kind, func(t *testing.T) {
				p.TB = t
				p.WaitGone(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Namespace}})
				if kinds[kind].kept {
					p.expectRetained()
				}
				p.Remove(p.objects[theBucket])
				p.expectNothingLeft(kinds[kind].kept)
			})
		}
	})
	cl.settle(t)
	history := cl.history(t)
	for _, p := range pairs {
		p.TB = t
		p.expectOrderly(history)
	}
	if accounts := cl.driver.Accounts(); len(accounts) > 0 {
		t.Errorf("accounts are left: %v", accounts)
	}
}

// deletionOrders are all orders of what there is an object of for each claim,
// with the classes before or after them.
func deletionOrders() [][]string {
	orders := permutations(theClaim, theAccess, theBucket, theSecret)
	for i, order := range orders {
		if classes := []string{theClass, theAccessClass}; i%2 == 0 {
			orders[i] = slices.Concat(classes, order)
		} else {
			orders[i] = slices.Concat(order, classes)
		}
	}
	return orders
}

// fall deletes the objects in an order, without waiting in between.
func (p *pair) fall(order []string) {
	p.Helper()
	for _, what := range order {
		if object := p.objects[what]; object != nil {
			p.Remove(object)
		}
	}
}

// fallAtOnce deletes all objects at the same time.
func (p *pair) fallAtOnce() {
	p.Helper()
	var together sync.WaitGroup
	for what := range p.objects {
		together.Go(func() { p.fall([]string{what}) })
	}
	together.Wait()
}

// expectNothingLeft waits until all objects are gone, and checks the remaining buckets and accounts
// of the backend.
func (p *pair) expectNothingLeft(kept bool) {
	p.Helper()
	p.WaitGone(p.claim, p.access, p.objects[theBucket], p.objects[theSecret])
	if slices.Contains(p.driver.Accounts(), accountID(p.access)) {
		p.Error("the account is left in the backend")
	}
	if got := slices.Contains(p.driver.Buckets(), p.bucketID()); got != kept {
		p.Errorf("bucket left in the backend: %t, want %t", got, kept)
	}
}

// expectRetained expects a Bucket without its claim, and the bucket behind it.
func (p *pair) expectRetained() {
	p.Helper()
	bucket := &v1alpha2.Bucket{}
	bucket.Name = p.objects[theBucket].GetName()
	p.Eventually(func() error { return p.Refresh(bucket) })
	p.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	if !bucket.DeletionTimestamp.IsZero() || !v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		p.Errorf("retained Bucket: deletion timestamp %v, annotations %v", bucket.DeletionTimestamp, bucket.Annotations)
	}
	if !slices.Contains(p.driver.Buckets(), p.bucketID()) {
		p.Error("the backend's bucket is gone")
	}
}

// expectOrderly checks the components' operations while the objects were deleted.
func (p *pair) expectOrderly(history []journal.Event) {
	p.Helper()
	want := 0
	if bucket, ok := p.objects[theBucket].(*v1alpha2.Bucket); ok && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete {
		want = 1
	}
	if got := count(p.driver, "DriverDeleteBucket", p.bucketID()); got != want {
		p.Errorf("%s: %d calls of DriverDeleteBucket, want %d", p.Namespace, got, want)
	}
	p.expectRevokedLast(history)
}
