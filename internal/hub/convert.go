package hub

import (
	"cmp"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

var finalizers = []string{
	v1alpha1.BucketClaimFinalizer, v1alpha1.BucketFinalizer, v1alpha1.BucketAccessFinalizer,
	v1alpha1.BucketAccessBucketFinalizer, v1alpha1.SecretFinalizer,
}

// Finalizers translates the finalizers of an object of v1alpha1 into v1alpha2, where COSI has only
// one. Others stay.
func Finalizers(names []string) []string {
	var converted []string
	for _, name := range names {
		if slices.Contains(finalizers, name) {
			name = v1alpha2.ProtectionFinalizer
		}
		if !slices.Contains(converted, name) {
			converted = append(converted, name)
		}
	}
	return converted
}

// Protocol returns the name of a protocol in v1alpha2, or the given spelling if v1alpha2 has none.
func Protocol(name v1alpha1.Protocol) v1alpha2.Protocol {
	switch canonical, known := name.Canonical(); {
	case canonical == v1alpha1.ProtocolGCP:
		return v1alpha2.ProtocolGCS
	case known:
		return v1alpha2.Protocol(canonical)
	default:
		return v1alpha2.Protocol(name)
	}
}

// AuthenticationType returns the name of an authentication type in v1alpha2, or the given spelling
// if v1alpha2 has none.
func AuthenticationType(name v1alpha1.AuthenticationType) v1alpha2.AuthenticationType {
	if name == v1alpha1.AuthenticationTypeIAM {
		return v1alpha2.AuthenticationTypeServiceAccount
	}
	return v1alpha2.AuthenticationType(name)
}

// ClaimReference returns the reference of a Bucket to its claim.
func ClaimReference(ref *corev1.ObjectReference) v1alpha2.BucketClaimReference {
	if ref == nil {
		return v1alpha2.BucketClaimReference{}
	}
	return v1alpha2.BucketClaimReference{Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}
}

func protocols(names []v1alpha1.Protocol) []v1alpha2.Protocol {
	var converted []v1alpha2.Protocol
	for _, name := range names {
		converted = append(converted, Protocol(name))
	}
	return converted
}

func metadata(from *metav1.ObjectMeta) metav1.ObjectMeta {
	converted := *from.DeepCopy()
	converted.Finalizers, converted.ManagedFields = Finalizers(from.Finalizers), nil
	return converted
}

func (n *natives) claim(from *v1alpha1.BucketClaim) v1alpha2.BucketClaim {
	return v1alpha2.BucketClaim{
		ObjectMeta: metadata(&from.ObjectMeta),
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: from.Spec.BucketClassName, ExistingBucketName: from.Spec.ExistingBucketName,
			Protocols: protocols(from.Spec.Protocols),
		},
		Status: v1alpha2.BucketClaimStatus{
			BoundBucketName: from.Status.BucketName, ReadyToUse: from.Status.BucketReady && from.DeletionTimestamp == nil,
			Conditions: n.claimConditions(from),
		},
	}
}

// claimConditions returns the conditions of a claim. Events are never withdrawn: a claim with a
// Bucket does not wait for its class any more.
func (n *natives) claimConditions(from *v1alpha1.BucketClaim) []metav1.Condition {
	conditions := n.conditions(&from.ObjectMeta, from.Status.BucketReady)
	isItsBucket := func(b *v1alpha1.Bucket) bool { return b.Spec.BucketClaim != nil && b.Spec.BucketClaim.UID == from.UID }
	if conditions[0].Reason == v1alpha2.ReasonBucketClassNotFound && find(n.buckets.Items, isItsBucket) != nil {
		conditions[0].Reason, conditions[0].Message = v1alpha2.ReasonPending, ""
	}
	return conditions
}

func (n *natives) bucket(from *v1alpha1.Bucket) v1alpha2.Bucket {
	return v1alpha2.Bucket{
		ObjectMeta: metadata(&from.ObjectMeta),
		Spec: v1alpha2.BucketSpec{
			DriverName: from.Spec.DriverName, DeletionPolicy: v1alpha2.DeletionPolicy(from.Spec.DeletionPolicy),
			Protocols: protocols(from.Spec.Protocols), Parameters: from.Spec.Parameters,
			BucketClaimRef: ClaimReference(from.Spec.BucketClaim), ExistingBucketID: from.Spec.ExistingBucketID,
		},
		Status: v1alpha2.BucketStatus{
			BucketID: from.Status.BucketID, ReadyToUse: from.Status.BucketReady && from.DeletionTimestamp == nil,
			Conditions: n.conditions(&from.ObjectMeta, from.Status.BucketReady),
		},
	}
}

// access converts a BucketAccess. The sidecar's record has the granted bucket and account. Without
// it, or if another sidecar granted it, class and claim decide.
func (n *natives) access(from *v1alpha1.BucketAccess) v1alpha2.BucketAccess {
	converted := v1alpha2.BucketAccess{
		ObjectMeta: metadata(&from.ObjectMeta),
		Spec: v1alpha2.BucketAccessSpec{
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: from.Spec.BucketClaimName, AccessSecretName: from.Spec.CredentialsSecretName,
			}},
			BucketAccessClassName: from.Spec.BucketAccessClassName, Protocol: Protocol(from.Spec.Protocol),
			ServiceAccountName: from.Spec.ServiceAccountName,
		},
		Status: v1alpha2.BucketAccessStatus{
			AccountID: from.Status.AccountID, ReadyToUse: from.Status.AccessGranted && from.DeletionTimestamp == nil,
			Conditions: n.conditions(&from.ObjectMeta, from.Status.AccessGranted),
		},
	}
	status := &converted.Status
	if bucket := n.bucketOf(from); bucket != nil {
		if from.Status.AccountID != "" || from.Status.AccessGranted {
			status.DriverName = bucket.Spec.DriverName // its class may be deleted
		}
		status.AccessedBuckets = []v1alpha2.AccessedBucket{{
			BucketName: bucket.Name, BucketID: bucket.Status.BucketID, BucketClaimName: from.Spec.BucketClaimName,
		}}
	}
	if class := n.classOf(from); class != nil {
		status.DriverName, status.Parameters = class.DriverName, class.Parameters
		status.AuthenticationType = AuthenticationType(class.AuthenticationType)
	}
	if grant, ok := GrantOf(from.Annotations); ok {
		status.DriverName, status.AuthenticationType = grant.DriverName, AuthenticationType(grant.AuthenticationType)
		status.AccessedBuckets = []v1alpha2.AccessedBucket{grant.AccessedBucket(from.Spec.BucketClaimName)}
	}
	return converted
}

// Grant is the record that a sidecar writes into GrantAnnotation of an access of v1alpha1 before
// the driver grants it.
type Grant struct {
	DriverName         string                      `json:"driverName"`
	BucketName         string                      `json:"bucketName"`
	BucketID           string                      `json:"bucketID"`
	AuthenticationType v1alpha1.AuthenticationType `json:"authenticationType"`
	// FormerAccounts are accounts that an earlier grant has created. They are revoked with the
	// access.
	FormerAccounts []string `json:"formerAccounts"`
}

// GrantOf reads the annotation of an access. It returns false without one.
func GrantOf(annotations map[string]string) (Grant, bool) {
	var g Grant
	err := json.Unmarshal([]byte(annotations[v1alpha1.GrantAnnotation]), &g)
	return g, err == nil && g.DriverName != ""
}

// AccessedBucket returns the bucket of the grant, for the claim that the access names.
func (g Grant) AccessedBucket(claim string) v1alpha2.AccessedBucket {
	return v1alpha2.AccessedBucket{BucketName: g.BucketName, BucketID: g.BucketID, BucketClaimName: claim}
}

func (n *natives) bucketOf(access *v1alpha1.BucketAccess) *v1alpha1.Bucket {
	claim := find(n.claims.Items, func(c *v1alpha1.BucketClaim) bool {
		return c.Namespace == access.Namespace && c.Name == access.Spec.BucketClaimName
	})
	if claim == nil || claim.Status.BucketName == "" {
		return nil
	}
	return find(n.buckets.Items, func(b *v1alpha1.Bucket) bool { return b.Name == claim.Status.BucketName })
}

func (n *natives) classOf(access *v1alpha1.BucketAccess) *v1alpha1.BucketAccessClass {
	return find(n.accessClasses.Items, func(c *v1alpha1.BucketAccessClass) bool { return c.Name == access.Spec.BucketAccessClassName })
}

func find[T any](items []T, is func(*T) bool) *T {
	for i := range items {
		if is(&items[i]) {
			return &items[i]
		}
	}
	return nil
}

func bucketClass(from *v1alpha1.BucketClass) v1alpha2.BucketClass {
	return v1alpha2.BucketClass{
		ObjectMeta: metadata(&from.ObjectMeta),
		Spec: v1alpha2.BucketClassSpec{
			DriverName: from.DriverName, DeletionPolicy: v1alpha2.DeletionPolicy(from.DeletionPolicy), Parameters: from.Parameters,
		},
	}
}

func accessClass(from *v1alpha1.BucketAccessClass) v1alpha2.BucketAccessClass {
	return v1alpha2.BucketAccessClass{
		ObjectMeta: metadata(&from.ObjectMeta),
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: from.DriverName, AuthenticationType: AuthenticationType(from.AuthenticationType), Parameters: from.Parameters,
			MultiBucketAccess: v1alpha2.MultiBucketAccessSingleBucket,
		},
	}
}

// secret converts an access Secret, with the same data. It returns false for other Secrets. A Secret
// without an owner, as the upstream sidecar makes it, belongs to the access that names it.
func (n *natives) secret(from *corev1.Secret) (corev1.Secret, bool) {
	owner := cmp.Or(accessOf(from), n.accessNaming(from))
	if owner == "" && !slices.Contains(from.Finalizers, v1alpha1.SecretFinalizer) {
		return corev1.Secret{}, false
	}
	converted := *from.DeepCopy()
	converted.ObjectMeta = metadata(&from.ObjectMeta)
	if converted.Annotations == nil {
		converted.Annotations = map[string]string{}
	}
	converted.Annotations[v1alpha2.BucketAccessReferenceAnnotation] = cmp.Or(
		from.Annotations[v1alpha1.BucketAccessReferenceAnnotation], from.Namespace+"/"+owner)
	return converted, true
}

// accessNaming returns the name of the first access whose credentials a Secret with COSI's finalizer
// holds, or "".
func (n *natives) accessNaming(s *corev1.Secret) string {
	if !slices.Contains(s.Finalizers, v1alpha1.SecretFinalizer) {
		return ""
	}
	for i := range n.accesses.Items {
		if a := &n.accesses.Items[i]; a.Namespace == s.Namespace && a.Spec.CredentialsSecretName == s.Name {
			return a.Name
		}
	}
	return ""
}

// accessOf returns the name of the access that owns a Secret, or "".
func accessOf(s *corev1.Secret) string {
	for _, owner := range s.OwnerReferences {
		if owner.Kind == "BucketAccess" {
			return owner.Name
		}
	}
	return ""
}
