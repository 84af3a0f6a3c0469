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
func (cl *testCluster) bucket(change ...func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	cl.Helper()
	claim := &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "claim-" + rand.String(6)},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: "some", Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}
	cl.Must(cl.Create(cl.Context(), claim))
	bucket := &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.BucketNameForClaim(claim.UID)},
		Spec: v1alpha1.BucketSpec{
			DriverName: cl.driver.Name(), BucketClassName: "some", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Parameters: map[string]string{"tier": "gold"}, Protocols: claim.Spec.Protocols,
			BucketClaim: &corev1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
		},
	}
	for _, c := range change {
		c(bucket)
	}
	cl.Must(cl.Create(cl.Context(), bucket))
	cl.Cleanup(func() { cl.ForceRemove(bucket) })
	return bucket
}

func existing(id string) func(*v1alpha1.Bucket) {
	return func(b *v1alpha1.Bucket) { b.Spec.ExistingBucketID = id }
}

func retain(b *v1alpha1.Bucket) { b.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }

// claimOf reads the claim of a Bucket.
func (cl *testCluster) claimOf(bucket *v1alpha1.Bucket) *v1alpha1.BucketClaim {
	cl.Helper()
	claim := &v1alpha1.BucketClaim{}
	cl.Must(cl.Get(cl.Context(), client.ObjectKey{Namespace: cl.Namespace, Name: bucket.Spec.BucketClaim.Name}, claim))
	return claim
}

// bind acts as the controller when the Bucket is ready.
func (cl *testCluster) bind(bucket *v1alpha1.Bucket) {
	cl.Helper()
	claim := cl.claimOf(bucket)
	cl.ModifyStatus(claim, func() { claim.Status.BucketName, claim.Status.BucketReady = bucket.Name, true })
}

func (cl *testCluster) waitBucket(bucket *v1alpha1.Bucket) {
	cl.Helper()
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil {
			return err
		}
		if !bucket.Status.BucketReady || bucket.Status.BucketID == "" {
			return fmt.Errorf("Bucket %s is not ready: %+v, Events %v", bucket.Name, bucket.Status, cl.notes(bucket))
		}
		return nil
	})
}

// readyBucket creates a Bucket whose claim is ready.
func (cl *testCluster) readyBucket(change ...func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	cl.Helper()
	bucket := cl.bucket(change...)
	cl.waitBucket(bucket)
	cl.bind(bucket)
	return bucket
}

// class creates a class of the driver.
func (cl *testCluster) class(change ...func(*v1alpha1.BucketAccessClass)) *v1alpha1.BucketAccessClass {
	cl.Helper()
	class := &v1alpha1.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: "class-" + rand.String(8)},
		DriverName: cl.driver.Name(), AuthenticationType: v1alpha1.AuthenticationTypeKey, Parameters: map[string]string{"role": "app"},
	}
	for _, c := range change {
		c(class)
	}
	cl.Must(cl.Create(cl.Context(), class))
	cl.Cleanup(func() { cl.ForceRemove(class) })
	return class
}

func byIAM(class *v1alpha1.BucketAccessClass) {
	class.AuthenticationType = v1alpha1.AuthenticationTypeIAM
}

// access creates a BucketAccess.
func (cl *testCluster) access(bucket *v1alpha1.Bucket, class string, change ...func(*v1alpha1.BucketAccess)) *v1alpha1.BucketAccess {
	cl.Helper()
	access := &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "access-" + rand.String(6)},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: bucket.Spec.BucketClaim.Name, BucketAccessClassName: class,
			Protocol: v1alpha1.ProtocolS3, CredentialsSecretName: "secret-" + rand.String(6),
		},
	}
	for _, c := range change {
		c(access)
	}
	cl.Must(cl.Create(cl.Context(), access))
	cl.Cleanup(func() { cl.ForceRemove(access) })
	return access
}

func (cl *testCluster) isGranted(access *v1alpha1.BucketAccess) error {
	if err := cl.Refresh(access); err != nil {
		return err
	}
	if !access.Status.AccessGranted {
		return fmt.Errorf("BucketAccess %s is not granted: %+v, Events %v", access.Name, access.Status, cl.notes(access))
	}
	return nil
}

func (cl *testCluster) waitGranted(access *v1alpha1.BucketAccess) {
	cl.Helper()
	cl.Eventually(func() error { return cl.isGranted(access) })
}

// readyAccess creates a BucketAccess and waits for it.
func (cl *testCluster) readyAccess(bucket *v1alpha1.Bucket) *v1alpha1.BucketAccess {
	cl.Helper()
	access := cl.access(bucket, cl.class().Name)
	cl.waitGranted(access)
	return access
}

// secretOf reads the Secret of an access.
func (cl *testCluster) secretOf(access *v1alpha1.BucketAccess) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.CredentialsSecretName}
	return secret, cl.Get(cl.Context(), key, secret)
}

// info reads the BucketInfo of an access.
func (cl *testCluster) info(access *v1alpha1.BucketAccess) (*v1alpha1.BucketInfo, error) {
	secret, err := cl.secretOf(access)
	if err != nil {
		return nil, err
	}
	return v1alpha1.ParseBucketInfo(secret.Data[v1alpha1.BucketInfoKey])
}

// notes are the Events about an object.
func (cl *testCluster) notes(object client.Object) []string {
	cl.Helper()
	list := &eventsv1.EventList{}
	cl.Must(cl.List(cl.Context(), list))
	var notes []string
	for i := range list.Items {
		if e := &list.Items[i]; e.Regarding.UID == object.GetUID() {
			notes = append(notes, e.Type+" "+e.Reason+" "+e.Note)
		}
	}
	return notes
}

// waitEvent waits for an Event that has all parts, and returns it.
func (cl *testCluster) waitEvent(object client.Object, parts ...string) (note string) {
	cl.Helper()
	cl.Eventually(func() error {
		notes := cl.notes(object)
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
func (cl *testCluster) hasNoCalls(methods ...string) {
	cl.Helper()
	cl.settle()
	if calls := cl.driver.Calls(methods...); len(calls) > 0 {
		cl.Errorf("the driver was called: %v", calls)
	}
}

// remove deletes an object and waits until it is gone.
func (cl *testCluster) remove(objects ...client.Object) {
	cl.Helper()
	for _, object := range objects {
		cl.Must(cl.Delete(cl.Context(), object))
		cl.Eventually(func() error {
			if err := cl.Refresh(object); client.IgnoreNotFound(err) == nil && err != nil {
				return nil //nolint:nilerr // it is gone
			}
			return fmt.Errorf("%s exists, with finalizers %v and Events %v", object.GetName(), object.GetFinalizers(), cl.notes(object))
		})
	}
}

// isEmpty expects that nothing is left in the backend.
func (cl *testCluster) isEmpty() {
	cl.Helper()
	if left := append(cl.driver.Buckets(), cl.driver.Accounts()...); len(left) > 0 {
		cl.Errorf("left in the backend: %v", left)
	}
}

var errStillThere = errors.New("it still exists")
