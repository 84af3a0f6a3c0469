package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// handle gives access to the common fields of the three kinds' statuses, to edit them.
type handle struct {
	ready      *bool
	conditions *[]metav1.Condition
}

func handleOf(object client.Object) handle {
	switch o := object.(type) {
	case *v1alpha2.Bucket:
		return handle{&o.Status.ReadyToUse, &o.Status.Conditions}
	case *v1alpha2.BucketClaim:
		return handle{&o.Status.ReadyToUse, &o.Status.Conditions}
	case *v1alpha2.BucketAccess:
		return handle{&o.Status.ReadyToUse, &o.Status.Conditions}
	default:
		return handle{}
	}
}

// set writes a condition as a user might by mistake.
func (h handle) set(conditionType string, status metav1.ConditionStatus) {
	meta.SetStatusCondition(h.conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: "ByHand", Message: "written by hand", ObservedGeneration: 1,
	})
}

// foreignCondition is a condition of another component.
const foreignCondition = "example.com/Audited"

// edits are what can be done to the status of each of the three kinds when all is
// well.
var edits = map[string]func(handle){
	"conditions removed":    func(h handle) { *h.conditions = nil },
	"not ready":             func(h handle) { *h.ready = false },
	"ready, not said to be": func(h handle) { meta.RemoveStatusCondition(h.conditions, v1alpha2.ConditionProvisioned) },
	"ready, but not provisioned": func(h handle) {
		h.set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse)
	},
	"not provisioned and not ready": func(h handle) {
		h.set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse)
		*h.ready = false
	},
	"provisioning unknown": func(h handle) { h.set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown) },
	"failed":               func(h handle) { h.set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue) },
	"no word of failure":   func(h handle) { meta.RemoveStatusCondition(h.conditions, v1alpha2.ConditionProvisionFailed) },
	"invalid":              func(h handle) { h.set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse) },
	"from the future": func(h handle) {
		for i := range *h.conditions {
			(*h.conditions)[i].ObservedGeneration = 99
		}
	},
	"foreign condition": func(h handle) { h.set(foreignCondition, metav1.ConditionTrue) },
}

// state is the status of an object, with its finalizers.
type state struct {
	Ready      bool
	Conditions map[string]string
	Finalizers []string
}

// stateNow is the state of an object, but for the conditions of others.
func stateNow(object client.Object) state {
	ready, conditions := cluster.Status(object)
	now := state{Ready: ready, Conditions: map[string]string{}, Finalizers: object.GetFinalizers()}
	for _, c := range conditions {
		if c.Type != foreignCondition {
			now.Conditions[c.Type] = fmt.Sprintf("%s (%s) of generation %d", c.Status, c.Reason, c.ObservedGeneration)
		}
	}
	return now
}

// TestEditedStatus edits ready objects, and expects their earlier state: at rest, and with nothing
// in the way of their deletion.
func TestEditedStatus(t *testing.T) {
	cl := newTestCluster(t)
	type edited struct {
		*pair
		name   string
		what   string
		before state
	}
	var all []edited
	for _, what := range []string{theBucket, theClaim, theAccess} {
		for name := range edits {
			p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
			p.begin()
			all = append(all, edited{pair: p, name: name, what: what})
		}
	}
	for i := range all {
		e := &all[i]
		e.await()
		object := e.objects[e.what]
		e.before = stateNow(object)
		e.ModifyStatus(object, func() { edits[e.name](handleOf(object)) })
	}
	for _, e := range all {
		t.Run(e.what+"/"+e.name, func(t *testing.T) {
			e.TB = t
			e.Eventually(func() error { return e.restored(e.what, e.before) })
		})
	}
	cl.settle(t)
	for _, e := range all {
		t.Run("afterwards/"+e.what+"/"+e.name, func(t *testing.T) {
			e.TB = t
			if err := e.restored(e.what, e.before); err != nil {
				t.Errorf("at rest: %v", err)
			}
			if diff := cmp.Diff(s3Data(e.access, e.bucketID()), e.dataOf(secretOf(e.access, 0))); diff != "" {
				t.Errorf("Secret (-want +got):\n%s", diff)
			}
			e.fall([]string{theClaim, theAccess})
		})
	}
	for _, e := range all {
		e.TB = t
		e.expectNothingLeft(false)
	}
	if buckets, accounts := cl.driver.Buckets(), cl.driver.Accounts(); len(buckets)+len(accounts) > 0 {
		t.Errorf("left in the backend: buckets %v, accounts %v", buckets, accounts)
	}
}

// restored returns an error while an object is not as it was before.
func (p *pair) restored(what string, before state) error {
	object := p.objects[what]
	if err := p.Refresh(object); err != nil {
		return err
	}
	if diff := cmp.Diff(before, stateNow(object)); diff != "" {
		return fmt.Errorf("%s (-before +now):\n%s", what, diff)
	}
	return nil
}

// TestForeignConditionStays: COSI does not remove the conditions of other writers.
func TestForeignConditionStays(t *testing.T) {
	cl := newTestCluster(t)
	p := cl.dynamicPair(v1alpha2.DeletionPolicyDelete)
	p.rise()
	kinds := []string{theBucket, theClaim, theAccess}
	for _, what := range kinds {
		object := p.objects[what]
		p.ModifyStatus(object, func() { handleOf(object).set(foreignCondition, metav1.ConditionTrue) })
		p.ModifyStatus(object, func() { *handleOf(object).ready = false })
		p.WaitReady(object)
		_, conditions := cluster.Status(object)
		if !slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Type == foreignCondition && c.Reason == "ByHand" }) {
			t.Errorf("%s has lost the condition: %v", what, cluster.Lines(conditions))
		}
	}
}
