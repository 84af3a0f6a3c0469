package evidence

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Object has the fields that the oracles read from objects of any kind: a whole object of the API
// server, or the fields of a patch. Fields of v1alpha1 are moved to their place in v1alpha2.
type Object struct {
	v1alpha1Fields

	Metadata struct {
		Name              string                  `json:"name"`
		Namespace         string                  `json:"namespace"`
		UID               types.UID               `json:"uid"`
		ResourceVersion   string                  `json:"resourceVersion"`
		CreationTimestamp metav1.Time             `json:"creationTimestamp"`
		DeletionTimestamp *metav1.Time            `json:"deletionTimestamp"`
		Finalizers        []string                `json:"finalizers"`
		Annotations       map[string]string       `json:"annotations"`
		Labels            map[string]string       `json:"labels"`
		OwnerReferences   []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		DriverName       string                        `json:"driverName"`
		DeletionPolicy   v1alpha2.DeletionPolicy       `json:"deletionPolicy"`
		ExistingBucketID string                        `json:"existingBucketID"`
		BucketClaimRef   v1alpha2.BucketClaimReference `json:"bucketClaimRef"`
		BucketClaims     []v1alpha2.BucketClaimAccess  `json:"bucketClaims"`
		Parameters       map[string]string             `json:"parameters"`
		Protocols        []v1alpha2.Protocol           `json:"protocols"`

		Protocol           v1alpha2.Protocol `json:"protocol"`
		ServiceAccountName string            `json:"serviceAccountName"`
		BucketClassName    string            `json:"bucketClassName"`

		v1alpha1Spec
	} `json:"spec"`
	Data      map[string]any `json:"data"`
	Immutable bool           `json:"immutable"`
	Status    struct {
		BucketID        string                    `json:"bucketID"`
		AccountID       string                    `json:"accountID"`
		DriverName      string                    `json:"driverName"`
		BoundBucketName string                    `json:"boundBucketName"`
		AccessedBuckets []v1alpha2.AccessedBucket `json:"accessedBuckets"`
		ReadyToUse      bool                      `json:"readyToUse"`

		AuthenticationType v1alpha2.AuthenticationType `json:"authenticationType"`
		Parameters         map[string]string           `json:"parameters"`

		BucketName string `json:"bucketName"` // of v1alpha1
	} `json:"status"`
}

// read parses a body of the API, or returns nil.
func read(body []byte) *Object {
	if len(body) == 0 {
		return nil
	}
	o := &Object{}
	if json.Unmarshal(body, o) != nil {
		return nil
	}
	o.normalize()
	return o
}

func convert(typed any) *Object {
	body, err := json.Marshal(typed)
	if err != nil {
		return nil
	}
	return read(body)
}

// Key returns NAMESPACE/NAME, or NAME.
func (o *Object) Key() string { return Key(o.Metadata.Namespace, o.Metadata.Name) }

// OlderThan reports whether an object is certainly an older version than another, which the journal may have first: the
// response to a read can be late. Without resource versions, and without an object, it is not.
func (o *Object) OlderThan(other *Object) bool {
	if o == nil || other == nil {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(o.Metadata.ResourceVersion, other.Metadata.ResourceVersion)
	return err == nil && order < 0
}

// Protected reports whether the object has the finalizer of COSI.
func (o *Object) Protected() bool {
	return slices.Contains(o.Metadata.Finalizers, v1alpha2.ProtectionFinalizer)
}

// Deleting reports whether the object has a deletion timestamp.
func (o *Object) Deleting() bool { return o.Metadata.DeletionTimestamp != nil }

// Leaving reports whether the object is being deleted, and COSI has released it.
func (o *Object) Leaving() bool { return o.Deleting() && !o.Protected() }

// Returned reports whether an access is being deleted, and its sidecar has returned it to the controller as cleaned up.
func (o *Object) Returned() bool { return o.Deleting() && o.IsFinished() }

// IsFinished reports whether an access has the annotation with which its sidecar returns it.
func (o *Object) IsFinished() bool {
	_, finished := o.Metadata.Annotations[v1alpha2.SidecarCleanupFinishedAnnotation]
	return finished
}

// Gone reports whether the API server removes the object at once, without any finalizer.
func (o *Object) Gone() bool { return o.Deleting() && len(o.Metadata.Finalizers) == 0 }

// BucketID returns the ID of the Bucket in the backend, existing or planned.
func (o *Object) BucketID() string {
	if o.Status.BucketID == "" {
		return o.Spec.ExistingBucketID
	}
	return o.Status.BucketID
}

// Key returns the key of an object: NAMESPACE/NAME, or NAME without a namespace.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// kinds are the kinds of the resources that the oracles read.
var kinds = map[string]string{
	Buckets: "Bucket", Claims: "BucketClaim", Accesses: "BucketAccess", Secrets: "Secret",
	BucketClasses: "BucketClass", AccessClasses: "BucketAccessClass",
}

// Names of the resources in the journal.
const (
	Buckets  = "buckets"
	Claims   = "bucketclaims"
	Accesses = "bucketaccesses"
	Secrets  = "secrets"

	BucketClasses = "bucketclasses"
	AccessClasses = "bucketaccessclasses"
)

// KindOf returns the kind of a resource, or "" for one that the oracles do not read.
func KindOf(resource string) string { return kinds[resource] }

// ResourceOf returns the resource of a kind, or "" for one that the oracles do not read.
func ResourceOf(kind string) string {
	for resource, of := range kinds {
		if of == kind {
			return resource
		}
	}
	return ""
}

// Subject returns KIND/NAME for a resource and a key.
func Subject(resource, key string) string {
	return KindOf(resource) + "/" + key[strings.Index(key, "/")+1:]
}

// AccessOwner returns the name of the BucketAccess that owns a Secret, or, if the owner reference
// was removed, for which it was made; empty for none.
func (o *Object) AccessOwner() (name string) {
	_, name, _ = strings.Cut(o.Metadata.Annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	for _, ref := range o.Metadata.OwnerReferences {
		if ref.Kind == "BucketAccess" {
			name = ref.Name
		}
	}
	return name
}

// Announced reports whether a Bucket has the annotation for the deletion of its claim.
func (o *Object) Announced() bool {
	return v1alpha2.IsBucketClaimBeingDeleted(&v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Annotations: o.Metadata.Annotations}})
}
