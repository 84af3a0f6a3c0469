// Package access reads the BucketAccesses and Secrets of Pods, with the rights of the Pods, and marks the accesses that
// Pods use.
package access

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Access is a BucketAccess of any version.
type Access struct {
	// Object is the BucketAccess itself.
	Object client.Object
	// Buckets has an element for each bucket, in the order of the spec.
	Buckets []Bucket
	// Ready is true if Pods can start to use the access.
	Ready bool
	// Obstacle is the reason for which an access is not ready, for users.
	Obstacle string
}

// Bucket is a bucket of an access.
type Bucket struct {
	// Claim is the name of the BucketClaim, and Secret the name of the Secret, in the namespace of the access.
	Claim, Secret string
}

// IsDeleting reports whether the access is being deleted.
func (a *Access) IsDeleting() bool { return !a.Object.GetDeletionTimestamp().IsZero() }

// NewObject returns an empty BucketAccess, and its list.
func NewObject(version objectstorage.Version) (client.Object, client.ObjectList) {
	if version == objectstorage.V1alpha1 {
		return &v1alpha1.BucketAccess{}, &v1alpha1.BucketAccessList{}
	}
	return &v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessList{}
}

// describe returns the Access of an object. An access that is being deleted is not ready.
func describe(object client.Object) *Access {
	a := &Access{Object: object}
	switch o := object.(type) {
	case *v1alpha1.BucketAccess:
		a.Buckets = []Bucket{{o.Spec.BucketClaimName, o.Spec.CredentialsSecretName}}
		a.Ready = o.Status.AccessGranted
		a.Obstacle = "its status.accessGranted is not true; the Events of the access have the cause"
	case *v1alpha2.BucketAccess:
		for _, claim := range o.Spec.BucketClaims {
			a.Buckets = append(a.Buckets, Bucket{claim.BucketClaimName, claim.AccessSecretName})
		}
		a.Ready = o.Status.ReadyToUse
		a.Obstacle = obstacle(o.Status.Conditions)
	}
	if a.IsDeleting() {
		a.Ready, a.Obstacle = false, "it is being deleted"
	}
	return a
}

// obstacle returns the condition that explains most: the failure of the driver, then an invalid object.
func obstacle(conditions []metav1.Condition) string {
	for _, bad := range []struct {
		conditionType string
		good          metav1.ConditionStatus
	}{
		{v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse},
		{v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue},
		{v1alpha2.ConditionProvisioned, metav1.ConditionTrue},
	} {
		c := meta.FindStatusCondition(conditions, bad.conditionType)
		if c != nil && c.Status != bad.good && c.Reason != v1alpha2.ReasonPending {
			return fmt.Sprintf("%s: %s", c.Reason, c.Message)
		}
	}
	return "no component has reconciled it yet; check that the COSI controller and the sidecar of its driver run"
}
