package skew

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	kindClass       = "BucketClass"
	kindAccessClass = "BucketAccessClass"
	classLate       = "late" // exists from release on
)

// otherReady returns the objects that become ready in a special way: an existing bucket, an access of a ServiceAccount, and an
// access to two buckets.
func (s *story) otherReady() []*unstructured.Unstructured {
	s.Helper()
	const imported, keyless, builder = "imported", "keyless", "builder"
	if _, err := s.emu.Store().CreateBucket(s.Context(), fakedriver.BucketSpec{Name: imported, Owner: "admin"}); err != nil {
		s.Fatal(err)
	}
	s.run.MarkExternal(imported)
	authentication := map[objectstorage.Version]string{
		objectstorage.V1alpha2: string(v1alpha2.AuthenticationTypeServiceAccount), objectstorage.V1alpha1: "IAM",
	}
	s.apply(s.class(kindAccessClass, keyless, map[string]any{"authenticationType": authentication[s.api()]}))
	s.apply(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: builder}})
	bucket, claim := s.existing(imported)
	objects := []*unstructured.Unstructured{
		bucket, claim, s.access("to-imported", imported), s.accessOf("by-account", "kept", keyless, builder),
	}
	if s.api() == objectstorage.V1alpha2 {
		objects = append(objects, s.accessToTwo("to-two", "kept", "retained"))
	}
	return objects
}

// createStuck creates objects that never become ready: the driver rejects a bucket, and a bucket is lost. It also creates
// objects whose classes do not exist until release.
func (s *story) createStuck() {
	s.Helper()
	const refused = "refused"
	s.apply(s.class(kindClass, refused, map[string]any{
		"deletionPolicy": "Delete", "parameters": map[string]any{fakedriver.ParameterQuotaBytes: "lots"},
	}))
	s.stick(v1alpha2.ReasonDriverRefused, s.claim(refused, refused))
	s.stick(v1alpha2.ReasonWaitingForBucket, s.access("to-refused", refused))
	s.loseBucket()
	late, access := s.claim(classLate, classLate), s.accessOf(classLate, "kept", classLate, "")
	s.create(late)
	s.keep(v1alpha2.ReasonBucketClassNotFound, late)
	s.create(access)
	s.keep(v1alpha2.ReasonBucketAccessClassNotFound, access)
}

// loseBucket removes the Bucket of a claim by force, while no sidecar watches it.
func (s *story) loseBucket() {
	s.Helper()
	claim := s.claim("lost", emulator.ClassStandard)
	s.create(claim)
	s.awaitReady(claim)
	status, _ := claim.Object["status"].(map[string]any)
	name := fmt.Sprint(status["boundBucketName"])
	if s.api() == objectstorage.V1alpha1 {
		name = fmt.Sprint(status["bucketName"])
	}
	s.run.MarkExternal(name)
	sidecar := s.emu.Component(emulator.ComponentSidecar)
	if err := sidecar.Stop(s.Context()); err != nil {
		s.Fatal(err)
	}
	bucket := s.object(kindBucket, name, nil)
	bucket.SetNamespace("")
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"finalizers": null}}`))
	if err := s.emu.Client().Patch(s.Context(), bucket, patch); err != nil {
		s.Fatal(err)
	}
	if err := s.emu.Client().Delete(s.Context(), bucket); err != nil {
		s.Fatal(err)
	}
	s.keep(v1alpha2.ReasonBucketLost, claim)
	s.stuck[nameOf(claim)] = true
	if err := sidecar.Start(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// stick creates an object that never becomes ready.
func (s *story) stick(reason string, object *unstructured.Unstructured) {
	s.Helper()
	s.create(object)
	s.stuck[nameOf(object)] = true
	s.keep(reason, object)
}

// keep waits for the reason for which an object is not ready, and remembers the outline of its status.
func (s *story) keep(reason string, object *unstructured.Unstructured) {
	s.Helper()
	harness.Eventually(s, nameOf(object)+" has the reason "+reason, func(ctx context.Context) error {
		if s.api() == objectstorage.V1alpha2 {
			current := s.get(object)
			conditions, _, _ := unstructured.NestedSlice(current.Object, "status", "conditions")
			for _, condition := range conditions {
				if of, isMap := condition.(map[string]any); isMap && of["reason"] == reason {
					return nil
				}
			}
			return fmt.Errorf("its status is %v", current.Object["status"])
		}
		if s.stuck[nameOf(object)] && object.GetKind() == kindClaim && s.get(object).Object["status"] == nil {
			return errors.New("the controller has not written its status yet")
		}
		events := &corev1.EventList{}
		if err := s.emu.Client().List(ctx, events); err != nil {
			return err
		}
		for i := range events.Items {
			if e := &events.Items[i]; e.Reason == reason || strings.HasPrefix(e.Message, reason+": ") {
				return nil
			}
		}
		return fmt.Errorf("none of %d Events has it", len(events.Items))
	})
	s.held[nameOf(object)] = outlineOf(s.get(object).Object["status"])
}

// createLateClasses creates the classes that objects have waited for.
func (s *story) createLateClasses() {
	s.Helper()
	s.apply(s.class(kindClass, classLate, map[string]any{"deletionPolicy": "Delete"}))
	s.apply(s.class(kindAccessClass, classLate, map[string]any{"authenticationType": "Key"}))
}

// apply creates an object that stays.
func (s *story) apply(object client.Object) {
	s.Helper()
	if err := s.emu.Client().Create(s.Context(), object); err != nil {
		s.Fatal(err)
	}
}
