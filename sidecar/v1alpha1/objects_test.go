package v1alpha1_test

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// bucket creates a claim, and a Bucket as the controller does for it.
func (w *world) bucket(change ...func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	w.Helper()
	claim := &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "claim-" + rand.String(6)},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: "some", Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}
	w.Must(w.Create(w.Context(), claim))
	bucket := &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.BucketNameForClaim(claim.UID)},
		Spec: v1alpha1.BucketSpec{
			DriverName: w.driver.Name(), BucketClassName: "some", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Parameters: map[string]string{"tier": "gold"}, Protocols: claim.Spec.Protocols,
			BucketClaim: &corev1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
		},
	}
	for _, c := range change {
		c(bucket)
	}
	w.Must(w.Create(w.Context(), bucket))
	w.Cleanup(func() { w.ForceRemove(bucket) })
	return bucket
}

func existing(id string) func(*v1alpha1.Bucket) {
	return func(b *v1alpha1.Bucket) { b.Spec.ExistingBucketID = id }
}

func retain(b *v1alpha1.Bucket) { b.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }

// claimOf reads the claim of a Bucket.
func (w *world) claimOf(bucket *v1alpha1.Bucket) *v1alpha1.BucketClaim {
	w.Helper()
	claim := &v1alpha1.BucketClaim{}
	w.Must(w.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: bucket.Spec.BucketClaim.Name}, claim))
	return claim
}

// bind does what the controller does when the Bucket is ready.
func (w *world) bind(bucket *v1alpha1.Bucket) {
	w.Helper()
	claim := w.claimOf(bucket)
	w.ModifyStatus(claim, func() { claim.Status.BucketName, claim.Status.BucketReady = bucket.Name, true })
}

func (w *world) waitBucket(bucket *v1alpha1.Bucket) {
	w.Helper()
	w.Eventually(func() error {
		if err := w.Refresh(bucket); err != nil {
			return err
		}
		if !bucket.Status.BucketReady || bucket.Status.BucketID == "" {
			return fmt.Errorf("Bucket %s is not ready: %+v, Events %v", bucket.Name, bucket.Status, w.notes(bucket))
		}
		return nil
	})
}

// readyBucket creates a Bucket whose claim is ready.
func (w *world) readyBucket(change ...func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	w.Helper()
	bucket := w.bucket(change...)
	w.waitBucket(bucket)
	w.bind(bucket)
	return bucket
}

// class creates a class of the driver.
func (w *world) class(change ...func(*v1alpha1.BucketAccessClass)) *v1alpha1.BucketAccessClass {
	w.Helper()
	class := &v1alpha1.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: "class-" + rand.String(8)},
		DriverName: w.driver.Name(), AuthenticationType: v1alpha1.AuthenticationTypeKey, Parameters: map[string]string{"role": "app"},
	}
	for _, c := range change {
		c(class)
	}
	w.Must(w.Create(w.Context(), class))
	w.Cleanup(func() { w.ForceRemove(class) })
	return class
}

func byIAM(class *v1alpha1.BucketAccessClass) {
	class.AuthenticationType = v1alpha1.AuthenticationTypeIAM
}

// access creates a BucketAccess.
func (w *world) access(bucket *v1alpha1.Bucket, class string, change ...func(*v1alpha1.BucketAccess)) *v1alpha1.BucketAccess {
	w.Helper()
	access := &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "access-" + rand.String(6)},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: bucket.Spec.BucketClaim.Name, BucketAccessClassName: class,
			Protocol: v1alpha1.ProtocolS3, CredentialsSecretName: "secret-" + rand.String(6),
		},
	}
	for _, c := range change {
		c(access)
	}
	w.Must(w.Create(w.Context(), access))
	w.Cleanup(func() { w.ForceRemove(access) })
	return access
}

func (w *world) isGranted(access *v1alpha1.BucketAccess) error {
	if err := w.Refresh(access); err != nil {
		return err
	}
	if !access.Status.AccessGranted {
		return fmt.Errorf("BucketAccess %s is not granted: %+v, Events %v", access.Name, access.Status, w.notes(access))
	}
	return nil
}

func (w *world) waitGranted(access *v1alpha1.BucketAccess) {
	w.Helper()
	w.Eventually(func() error { return w.isGranted(access) })
}

// readyAccess creates a BucketAccess and waits for it.
func (w *world) readyAccess(bucket *v1alpha1.Bucket) *v1alpha1.BucketAccess {
	w.Helper()
	access := w.access(bucket, w.class().Name)
	w.waitGranted(access)
	return access
}

// secretOf reads the Secret of an access.
func (w *world) secretOf(access *v1alpha1.BucketAccess) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.CredentialsSecretName}
	return secret, w.Get(w.Context(), key, secret)
}

// info reads the BucketInfo of an access.
func (w *world) info(access *v1alpha1.BucketAccess) (*v1alpha1.BucketInfo, error) {
	secret, err := w.secretOf(access)
	if err != nil {
		return nil, err
	}
	return v1alpha1.ParseBucketInfo(secret.Data[v1alpha1.BucketInfoKey])
}

// notes are the Events about an object.
func (w *world) notes(object client.Object) []string {
	w.Helper()
	list := &eventsv1.EventList{}
	w.Must(w.List(w.Context(), list))
	var notes []string
	for i := range list.Items {
		if e := &list.Items[i]; e.Regarding.UID == object.GetUID() {
			notes = append(notes, e.Type+" "+e.Reason+" "+e.Note)
		}
	}
	return notes
}

// waitEvent waits for an Event that has all parts, and returns it.
func (w *world) waitEvent(object client.Object, parts ...string) (note string) {
	w.Helper()
	w.Eventually(func() error {
		notes := w.notes(object)
		for _, note = range notes {
			if hasAll(note, parts) {
				return nil
			}
		}
		return fmt.Errorf("no Event with %q: %q", parts, notes)
	})
	return note
}

func hasAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}

// hasNoCalls expects that the driver gets none of the calls.
func (w *world) hasNoCalls(methods ...string) {
	w.Helper()
	w.settle()
	if calls := w.driver.Calls(methods...); len(calls) > 0 {
		w.Errorf("the driver was called: %v", calls)
	}
}

// remove deletes an object and waits until it is gone.
func (w *world) remove(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		w.Must(w.Delete(w.Context(), object))
		w.Eventually(func() error {
			if err := w.Refresh(object); client.IgnoreNotFound(err) == nil && err != nil {
				return nil //nolint:nilerr // it is gone
			}
			return fmt.Errorf("%s exists, with finalizers %v and Events %v", object.GetName(), object.GetFinalizers(), w.notes(object))
		})
	}
}

// isEmpty expects that nothing is left in the backend.
func (w *world) isEmpty() {
	w.Helper()
	if left := append(w.driver.Buckets(), w.driver.Accounts()...); len(left) > 0 {
		w.Errorf("left in the backend: %v", left)
	}
}

var errStillThere = errors.New("it still exists")
