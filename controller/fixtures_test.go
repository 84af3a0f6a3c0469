package controller_test

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const (
	driver      = "driver.test"
	className   = "gold"
	accessClass = "keys"
	// existingName is the Bucket that claimOfExisting claims.
	existingName = "brown"
)

// make creates objects as their user would.
func (h *fixture) make(created ...client.Object) {
	h.t.Helper()
	for _, object := range created {
		h.must(h.Create(context.Background(), object))
	}
}

func class(change ...func(*v1alpha2.BucketClassSpec)) *v1alpha2.BucketClass {
	c := &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: className},
		Spec: v1alpha2.BucketClassSpec{
			DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			Parameters: map[string]string{"tier": "gold"},
		},
	}
	for _, f := range change {
		f(&c.Spec)
	}
	return c
}

func retain(spec *v1alpha2.BucketClassSpec) { spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }

func (h *fixture) claim(name string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name},
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: className, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
		},
	}
}

func (h *fixture) claimOfExisting() *v1alpha2.BucketClaim {
	c := h.claim("data")
	c.Spec.BucketClassName, c.Spec.ExistingBucketName = "", existingName
	return c
}

// existingBucket is what an administrator makes for the claim of that name.
func (h *fixture) existingBucket(name, claim string) *v1alpha2.Bucket {
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha2.BucketSpec{
			DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyRetain, ExistingBucketID: "old/bucket",
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: h.namespace, Name: claim},
		},
	}
}

func newAccessClass(change ...func(*v1alpha2.BucketAccessClassSpec)) *v1alpha2.BucketAccessClass {
	c := &v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: accessClass},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey,
			Parameters: map[string]string{"role": "user"},
		},
	}
	for _, f := range change {
		f(&c.Spec)
	}
	return c
}

// access asks for S3 access to the claims, with a Secret named after each.
func (h *fixture) access(name string, claims ...string) *v1alpha2.BucketAccess {
	a := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: accessClass, Protocol: v1alpha2.ProtocolS3,
		},
	}
	for _, claim := range claims {
		a.Spec.BucketClaims = append(a.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: name + "-" + claim,
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		})
	}
	return a
}

// awaits waits until the object as it is on the API server satisfies the check.
func awaits[T client.Object](h *fixture, object T, what string, check func(T) error) T {
	h.t.Helper()
	h.eventually(fmt.Sprintf("%T %s: %s", object, object.GetName(), what), func(ctx context.Context) error {
		if err := refresh(ctx, h, object); err != nil {
			return err
		}
		return check(object)
	})
	return object
}

// refresh reads into a zeroed object: what JSON leaves out must not survive.
func refresh(ctx context.Context, h *fixture, object client.Object) error {
	key := client.ObjectKeyFromObject(object)
	switch o := object.(type) {
	case *v1alpha2.BucketClaim:
		*o = v1alpha2.BucketClaim{}
	case *v1alpha2.BucketAccess:
		*o = v1alpha2.BucketAccess{}
	case *v1alpha2.Bucket:
		*o = v1alpha2.Bucket{}
	}
	err := h.Get(ctx, key, object)
	object.SetName(key.Name)
	object.SetNamespace(key.Namespace)
	return err
}

// vanishes waits until the object is gone.
func (h *fixture) vanishes(object client.Object) {
	h.t.Helper()
	h.eventually(fmt.Sprintf("%T %s vanishes", object, object.GetName()), func(ctx context.Context) error {
		err := refresh(ctx, h, object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("still there: %+v", object))
	})
}

// bucketOf returns the Bucket that the claim is bound to, when it is.
func (h *fixture) bucketOf(claim *v1alpha2.BucketClaim) *v1alpha2.Bucket {
	h.t.Helper()
	awaits(h, claim, "is bound", func(c *v1alpha2.BucketClaim) error {
		if c.Status.BoundBucketName == "" {
			return fmt.Errorf("not bound: %+v", c.Status)
		}
		return nil
	})
	bucket := &v1alpha2.Bucket{}
	h.must(h.Get(context.Background(), client.ObjectKey{Name: claim.Status.BoundBucketName}, bucket))
	return bucket
}

// says checks one condition.
func says(conditions []metav1.Condition, conditionType string, status metav1.ConditionStatus, reason string) error {
	c := meta.FindStatusCondition(conditions, conditionType)
	if c == nil || c.Status != status || c.Reason != reason {
		return fmt.Errorf("condition %s is not %s/%s: %+v", conditionType, status, reason, conditions)
	}
	return nil
}

// claimSays waits for a condition of the claim.
func (h *fixture) claimSays(claim *v1alpha2.BucketClaim, conditionType string, status metav1.ConditionStatus, reason string) {
	h.t.Helper()
	awaits(h, claim, conditionType+"="+string(status), func(c *v1alpha2.BucketClaim) error {
		return says(c.Status.Conditions, conditionType, status, reason)
	})
}

// accessSays waits for a condition of the access.
func (h *fixture) accessSays(access *v1alpha2.BucketAccess, conditionType string, status metav1.ConditionStatus, reason string) {
	h.t.Helper()
	awaits(h, access, conditionType+"="+string(status), func(a *v1alpha2.BucketAccess) error {
		return says(a.Status.Conditions, conditionType, status, reason)
	})
}
