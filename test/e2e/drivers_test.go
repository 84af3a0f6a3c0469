package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// tenant is a driver with its sidecar, the classes of that driver, and what users
// have of it.
type tenant struct {
	driver  *drivertest.Driver
	sidecar string
	cluster *testCluster // of the driver, in the namespace that all share

	claims   []*v1alpha2.BucketClaim
	accesses []*v1alpha2.BucketAccess
}

// newTenants has two drivers side by side in one namespace.
func newTenants(t *testing.T) (first, second *tenant) {
	t.Helper()
	other := drivertest.Start(t, "second.test") // before the cluster, which it has to outlive
	cl := newTestClusterWithoutSidecar(t)
	tenants := make([]*tenant, 2)
	for i, d := range []*drivertest.Driver{cl.driver, other} {
		own := *cl
		own.driver = d
		tenants[i] = &tenant{driver: d, sidecar: "sidecar-of-" + d.Name(), cluster: &own}
		cl.addSidecar(t, tenants[i].sidecar, d)
		class, accessClass := own.bucketClass(), own.accessClass()
		class.Name, accessClass.Name = d.Name(), d.Name()
		own.Make(class, accessClass)
	}
	return tenants[0], tenants[1]
}

// order creates a claim and an access to it.
func (n *tenant) order(name string) {
	n.cluster.Helper()
	claim := n.cluster.claim(name)
	claim.Spec.BucketClassName = n.driver.Name()
	access := n.cluster.access(name+"-app", name)
	access.Spec.BucketAccessClassName = n.driver.Name()
	n.cluster.Make(claim, access)
	n.claims, n.accesses = append(n.claims, claim), append(n.accesses, access)
}

// names are all the names and IDs of what users have of the driver.
func (n *tenant) names() []string {
	var names []string
	for i, claim := range n.claims {
		access := n.accesses[i]
		names = append(names,
			v1alpha2.BucketNameForClaim(claim.UID), bucketID(claim),
			v1alpha2.AccountNameForAccess(access.UID), accountID(access),
			access.Namespace+"/"+access.Name, access.Namespace+"/"+secretOf(access, 0).Name)
	}
	return names
}

// expectLeftAlone looks for operations of a driver and its sidecar on another driver's objects.
func (n *tenant) expectLeftAlone(history []journal.Event, others []string) {
	n.cluster.Helper()
	for _, call := range n.driver.Calls() {
		for _, id := range subjects(call.Request) {
			if slices.Contains(others, id) {
				n.cluster.Errorf("driver %s was called for another's: %s %s", n.driver.Name(), call.Method, id)
			}
		}
	}
	for _, e := range history {
		if e.Component != n.sidecar || !e.Write() && e.Seam != journal.SeamRPC {
			continue
		}
		// An Event is named after its object, with a number.
		object := e.Operation.Subject
		if strings.HasSuffix(e.Operation.Name, " events") {
			object = object[:strings.LastIndex(object, ".")]
			object = strings.TrimPrefix(object, metav1.NamespaceDefault+"/")
		}
		if slices.Contains(others, object) {
			n.cluster.Errorf("%s has touched what is another's: %s", n.sidecar, e)
		}
	}
}

// KEP: FLOW-CREATE-3.1, DRIVER-3
func TestTwoDrivers(t *testing.T) {
	first, second := newTenants(t)
	for i := range 5 {
		first.order(fmt.Sprintf("first-%d", i))
		second.order(fmt.Sprintf("second-%d", i))
	}
	for _, n := range []*tenant{first, second} {
		for i := range n.claims {
			n.cluster.WaitReady(n.claims[i], n.accesses[i])
			n.cluster.expectSecret(n.accesses[i], 0, s3Data(n.accesses[i], bucketID(n.claims[i])))
		}
	}
	// The Secret of one is edited and the access of another deleted, crosswise.
	for i := range 5 {
		secret := secretOf(first.accesses[i], 0)
		first.cluster.Modify(secret, func() { secret.Data = nil })
		second.cluster.Remove(second.claims[i], second.accesses[i])
	}
	for i := range 5 {
		second.cluster.WaitGone(second.claims[i], second.accesses[i])
		first.cluster.Eventually(func() error { return first.cluster.filled(first.accesses[i]) })
		first.cluster.Remove(first.accesses[i], first.claims[i])
	}
	for i := range 5 {
		first.cluster.WaitGone(first.claims[i], first.accesses[i])
	}
	first.cluster.settle(t)
	history := first.cluster.history(t)
	first.expectLeftAlone(history, second.names())
	second.expectLeftAlone(history, first.names())
	for _, n := range []*tenant{first, second} {
		if buckets, accounts := n.driver.Buckets(), n.driver.Accounts(); len(buckets)+len(accounts) > 0 {
			t.Errorf("driver %s still has buckets %v and accounts %v", n.driver.Name(), buckets, accounts)
		}
		if got := len(n.driver.Calls("DriverCreateBucket")); got != len(n.claims) {
			t.Errorf("driver %s was asked for %d buckets, want %d", n.driver.Name(), got, len(n.claims))
		}
	}
}

// filled returns an error while the first Secret of an access has no data.
func (cl *testCluster) filled(access *v1alpha2.BucketAccess) error {
	secret := secretOf(access, 0)
	if err := cl.Refresh(secret); err != nil {
		return err
	}
	if len(secret.Data) == 0 {
		return fmt.Errorf("Secret %s is empty", secret.Name)
	}
	return nil
}

// TestAccessAcrossDrivers: no class gives access to the bucket of another driver,
// neither alone nor together with one of its own.
// KEP: FLOW-GRANT-4.2
func TestAccessAcrossDrivers(t *testing.T) {
	first, second := newTenants(t)
	first.order("first")
	second.order("second")
	first.cluster.WaitReady(first.claims[0], first.accesses[0])
	second.cluster.WaitReady(second.claims[0], second.accesses[0])
	several := first.cluster.accessClass(forSeveralBuckets)
	several.Name += "-several"
	first.cluster.Make(several)

	cl := first.cluster
	alone, mixed := cl.access("alone", "second"), cl.access("mixed", "first", "second")
	alone.Spec.BucketAccessClassName, mixed.Spec.BucketAccessClassName = first.driver.Name(), several.Name
	cl.Make(alone, mixed)
	for _, access := range []*v1alpha2.BucketAccess{alone, mixed} {
		cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
		message := cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
		if !strings.Contains(message, second.driver.Name()) || !strings.Contains(message, `"second"`) {
			t.Errorf("the message does not say which claim is of which driver: %s", message)
		}
	}
	cl.settle(t)
	for _, d := range []*drivertest.Driver{first.driver, second.driver} {
		if got := len(d.Calls("DriverGenerateBucketAccessId")); got != 1 {
			t.Errorf("driver %s has heard of %d accesses, want one", d.Name(), got)
		}
	}
	cl.Remove(alone, mixed)
	cl.WaitGone(alone, mixed)
}

// TestOneDriverDown: work on the other driver's objects goes on as if nothing had happened, and the
// stopped driver's own work is done when it is back.
func TestOneDriverDown(t *testing.T) {
	down, up := newTenants(t)
	down.order("down-before")
	up.order("up-before")
	down.cluster.WaitReady(down.claims[0], down.accesses[0])
	up.cluster.WaitReady(up.claims[0], up.accesses[0])

	down.driver.Stop()
	down.order("down-after")
	down.cluster.Remove(down.claims[0], down.accesses[0])
	down.cluster.WaitCondition(down.accesses[0], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	up.order("up-after")
	up.cluster.WaitReady(up.claims[1], up.accesses[1])
	up.cluster.Remove(up.claims[0], up.accesses[0])
	up.cluster.WaitGone(up.claims[0], up.accesses[0], bucketOf(up.claims[0]))
	if got := len(up.driver.Buckets()); got != 1 {
		t.Errorf("the driver that is up has %d buckets, want one", got)
	}
	down.cluster.WaitCondition(down.claims[1], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	down.cluster.WaitCondition(down.accesses[1], v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)

	down.driver.Serve()
	down.cluster.WaitReady(down.claims[1], down.accesses[1])
	down.cluster.WaitGone(down.claims[0], down.accesses[0], bucketOf(down.claims[0]))
	if got := len(down.driver.Buckets()); got != 1 {
		t.Errorf("the driver that was down has %d buckets, want one", got)
	}
}
