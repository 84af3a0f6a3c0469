package skew

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/oracle"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// retryMaxDelay limits the wait until a rejected call is repeated.
const retryMaxDelay = 2 * time.Second

// story has claims and accesses in every state, in an emulator whose components are processes.
type story struct {
	*testing.T

	emu       *emulator.Emulator
	programs  programs
	namespace string
	// all are the objects that were created and not yet deleted, in the order of their creation.
	all []*unstructured.Unstructured
	// ready are the names of claims and accesses whose status and Secrets must not change.
	ready map[string]snapshot
	// held are the outlines of the statuses of claims and accesses on whose way the driver fails.
	held map[string]any
	// stuck are the names of objects that never become ready.
	stuck map[string]bool
	run   *oracle.Run
	swaps int
	holds []string // names of faults
}

// snapshot is what a swap must not change.
type snapshot struct {
	Status  any
	Secrets map[string]map[string][]byte
}

func start(t *testing.T, api objectstorage.Version) *story {
	t.Helper()
	p := newPrograms(t)
	emu := emulatortest.Start(t, p.options(api))
	return &story{
		T: t, emu: emu, run: oracle.Watch(t, emu), programs: p, namespace: emulatortest.NamespaceIn(t, emu),
		ready: map[string]snapshot{}, held: map[string]any{}, stuck: map[string]bool{},
	}
}

func (s *story) api() objectstorage.Version { return s.emu.Info().API }

// createReady creates the claims and the accesses that stay as they are.
func (s *story) createReady() {
	s.Helper()
	for _, object := range append([]*unstructured.Unstructured{
		s.claim("kept", emulator.ClassStandard), s.claim("retained", emulator.ClassStandardRetain), s.access("granted", "kept"),
	}, s.otherReady()...) {
		s.create(object)
		s.awaitReady(object)
		if object.GetKind() != kindBucket { // its generation changes when the claim is bound
			s.ready[nameOf(object)] = s.snapshotOf(object)
		}
	}
}

// createHeld creates claims and accesses on whose way the driver fails, until release.
func (s *story) createHeld() {
	s.Helper()
	deleted, emptied, retained := s.claim("deleted", emulator.ClassStandard), s.claim("in-use", emulator.ClassStandard),
		s.claim("retained-deleted", emulator.ClassStandardRetain)
	revoked, blocking := s.access("revoked", "kept"), s.access("blocking", "in-use")
	last := s.access("retained-blocking", "retained-deleted")
	for _, object := range []*unstructured.Unstructured{deleted, emptied, retained, revoked, blocking, last} {
		s.create(object)
		s.awaitReady(object)
	}
	s.hold("DriverDeleteBucket", deleted.GetUID())
	for _, access := range []*unstructured.Unstructured{revoked, blocking, last} {
		s.hold("DriverRevokeBucketAccess", access.GetUID())
	}
	for _, object := range []*unstructured.Unstructured{revoked, blocking, last, deleted, emptied, retained} {
		s.delete(object)
	}
	s.inject("all", "DriverCreateBucket", "*")
	provisioning := s.claim("provisioning", emulator.ClassStandard)
	s.create(provisioning)
	s.hold("DriverCreateBucket", provisioning.GetUID())
	s.end("all")
	waiting := s.access("waiting", "provisioning")
	s.create(waiting)
	s.awaitHeld()
	s.awaitHeld() // the status has the first failure
	for _, object := range []*unstructured.Unstructured{emptied, retained, revoked, blocking, last, provisioning, waiting} {
		s.held[nameOf(object)] = outlineOf(s.get(object).Object["status"])
	}
}

// hold has the driver fail the calls about one object.
func (s *story) hold(method string, uid types.UID) {
	s.Helper()
	name := method + "-" + string(uid)
	s.inject(name, method, "*"+string(uid)+"*")
	s.holds = append(s.holds, name)
}

func (s *story) inject(name, method, subject string) {
	s.Helper()
	err := s.emu.Faults().Add(fault.Fault{
		Name:   name,
		Match:  fault.Match{Seam: journal.SeamRPC, Component: emulator.ComponentSidecar, Operation: method, Subject: subject},
		Effect: fault.Effect{Fail: "Unavailable"},
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *story) end(name string) {
	s.Helper()
	if err := s.emu.Faults().Remove(name); err != nil {
		s.Fatal(err)
	}
}

// awaitHeld waits until the present sidecar has met every fault: it has repeated each held call.
func (s *story) awaitHeld() {
	s.Helper()
	mark := s.emu.Journal().Mark()
	harness.Eventually(s, "the sidecar repeats the rejected calls", func(context.Context) error {
		met := map[string]bool{}
		for _, e := range s.emu.Journal().Since(mark) {
			met[e.Fault] = true
		}
		for _, name := range s.holds {
			if !met[name] {
				return fmt.Errorf("fault %s has no effect yet", name)
			}
		}
		return nil
	})
}

// swap replaces the build of a component. The new pair works: it repeats held calls, keeps ready objects, and completes the
// life of a claim and an access.
func (s *story) swap(to swap) {
	s.Helper()
	s.swaps++
	component := s.emu.Component(to.component)
	stop := func() error { return component.Stop(s.Context()) }
	if s.swaps%2 == 0 { // a node that fails leaves as little time
		stop = component.Crash
	}
	if err := stop(); err != nil {
		s.Fatal(err)
	}
	s.programs.lead(s, to)
	if err := component.Start(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.awaitHeld()
	claim := s.claim(fmt.Sprintf("claim-%d", s.swaps), emulator.ClassStandard)
	access := s.access(fmt.Sprintf("access-%d", s.swaps), claim.GetName())
	for _, object := range []*unstructured.Unstructured{claim, access} {
		s.create(object)
		s.awaitReady(object)
	}
	for _, object := range []*unstructured.Unstructured{access, claim} {
		s.delete(object)
		s.awaitGone(object)
	}
	s.expectSame(fmt.Sprintf("after swap %d, of the %s to %s", s.swaps, to.component, to.program))
}

// expectSame fails if anything of the ready objects has changed, or a condition of the held ones. An upgrade that must change
// a status, such as one that introduces a condition, needs an exception here.
func (s *story) expectSame(when string) {
	s.Helper()
	for _, object := range s.all {
		if want, isReady := s.ready[nameOf(object)]; isReady {
			if diff := cmp.Diff(want, s.snapshotOf(object)); diff != "" {
				s.Errorf("%s has changed %s: -want, +got:\n%s", nameOf(object), when, diff)
			}
		}
		if want, isHeld := s.held[nameOf(object)]; isHeld {
			if diff := cmp.Diff(want, outlineOf(s.get(object).Object["status"])); diff != "" {
				s.Errorf("the status of %s has changed %s: -want, +got:\n%s", nameOf(object), when, diff)
			}
		}
	}
}

// outlineOf returns a status without the parts of conditions that a repeated failure may change.
func outlineOf(status any) any {
	fields, _ := status.(map[string]any)
	conditions, _ := fields["conditions"].([]any)
	for _, condition := range conditions {
		if of, isMap := condition.(map[string]any); isMap {
			delete(of, "message")
			delete(of, "lastTransitionTime")
		}
	}
	return status
}

// release ends the faults: what was held goes on.
func (s *story) release() {
	s.Helper()
	for _, name := range s.holds {
		s.end(name)
	}
	s.createLateClasses()
	for _, object := range s.all {
		if s.stuck[nameOf(object)] {
			continue
		}
		if object.GetDeletionTimestamp() == nil {
			s.awaitReady(object)
		} else {
			s.awaitGone(object)
		}
	}
	s.awaitBuckets()
}

// deleteAll deletes the remaining objects, accesses first.
func (s *story) deleteAll() {
	s.Helper()
	for _, object := range slices.Backward(s.all) {
		if object.GetDeletionTimestamp() == nil {
			s.delete(object)
			s.awaitGone(object)
		}
	}
}

// awaitBuckets waits until no Bucket is being deleted.
func (s *story) awaitBuckets() {
	s.Helper()
	harness.Eventually(s, "no Bucket is being deleted", func(ctx context.Context) error {
		buckets := &unstructured.UnstructuredList{}
		buckets.SetAPIVersion("objectstorage.k8s.io/" + string(s.api()))
		buckets.SetKind("BucketList")
		if err := s.emu.Client().List(ctx, buckets); err != nil {
			return err
		}
		for _, bucket := range buckets.Items {
			if bucket.GetDeletionTimestamp() != nil {
				return fmt.Errorf("Bucket %s is being deleted", bucket.GetName())
			}
		}
		return nil
	})
}

func (s *story) create(object *unstructured.Unstructured) {
	s.Helper()
	if err := s.emu.Client().Create(s.Context(), object); err != nil {
		s.Fatal(err)
	}
	s.all = append(s.all, object)
}

func (s *story) delete(object *unstructured.Unstructured) {
	s.Helper()
	if err := s.emu.Client().Delete(s.Context(), object); err != nil {
		s.Fatal(err)
	}
	now := object.GetCreationTimestamp()
	object.SetDeletionTimestamp(&now) // the story's own mark
}

func (s *story) awaitReady(object *unstructured.Unstructured) {
	s.Helper()
	harness.Eventually(s, nameOf(object)+" becomes ready", func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		for _, field := range []string{"readyToUse", "bucketReady", "accessGranted"} {
			if is, _, _ := unstructured.NestedBool(object.Object, "status", field); is {
				return nil
			}
		}
		return fmt.Errorf("its status is %v", object.Object["status"])
	})
}

func (s *story) awaitGone(object *unstructured.Unstructured) {
	s.Helper()
	harness.Eventually(s, nameOf(object)+" goes", func(ctx context.Context) error {
		found := &unstructured.Unstructured{}
		found.SetGroupVersionKind(object.GroupVersionKind())
		err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(object), found)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("its finalizers are %q, its status is %v", found.GetFinalizers(), found.Object["status"])
	})
}

// get reads an object, which must exist.
func (s *story) get(object *unstructured.Unstructured) *unstructured.Unstructured {
	s.Helper()
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(object.GroupVersionKind())
	if err := s.emu.Client().Get(s.Context(), client.ObjectKeyFromObject(object), current); err != nil {
		s.Fatal(err)
	}
	return current
}

// snapshotOf reads the status of an object and, of an access, its Secrets.
func (s *story) snapshotOf(object *unstructured.Unstructured) (taken snapshot) {
	s.Helper()
	current := s.get(object)
	taken.Status = current.Object["status"]
	if current.GetKind() != kindAccess {
		return taken
	}
	taken.Secrets = map[string]map[string][]byte{}
	for _, name := range secretsOf(current) {
		secret := &corev1.Secret{}
		if err := s.emu.Client().Get(s.Context(), client.ObjectKey{Namespace: s.namespace, Name: name}, secret); err != nil {
			s.Fatal(err)
		}
		taken.Secrets[name] = secret.Data
	}
	return taken
}
