package existingcluster

import (
	"context"
	"errors"
	"fmt"
	"maps"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// LabelOwner marks objects that an emulator has created in a cluster. Its value is the
// name of the emulator.
const LabelOwner = "cosi-emu/created-by"

// Create creates an object with the owner's label. If one of its name exists, with any
// owner, Create leaves it unchanged and returns found.
func (c *Cluster) Create(ctx context.Context, object client.Object) (found bool, err error) {
	labels := map[string]string{}
	maps.Copy(labels, object.GetLabels())
	labels[LabelOwner] = c.owner
	object.SetLabels(labels)
	err = c.client.Create(ctx, object)
	if apierrors.IsAlreadyExists(err) {
		return true, nil
	}
	if err != nil {
		kind, _ := c.client.GroupVersionKindFor(object)
		return false, fmt.Errorf("create %s %s: %w", kind.Kind, client.ObjectKeyFromObject(object), err)
	}
	return false, nil
}

// Kinds of the objects that an emulator creates, in the order of deletion.
var (
	classKinds = []schema.GroupVersionKind{
		v1alpha2.SchemeGroupVersion.WithKind("BucketClass"),
		v1alpha2.SchemeGroupVersion.WithKind("BucketAccessClass"),
	}
	leaseKind  = coordinationv1.SchemeGroupVersion.WithKind("Lease")
	rightKinds = []schema.GroupVersionKind{
		rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
		rbacv1.SchemeGroupVersion.WithKind("ClusterRole"),
		rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
		rbacv1.SchemeGroupVersion.WithKind("Role"),
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	}
	namespaceKind  = corev1.SchemeGroupVersion.WithKind("Namespace")
	definitionKind = apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
)

// own returns the objects of a kind with the owner's label. It returns none for a kind
// that the cluster lacks, or that the user may not list.
func (c *Cluster) own(ctx context.Context, kind schema.GroupVersionKind) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	err := c.client.List(ctx, list, client.MatchingLabels{LabelOwner: c.owner})
	if isNoKind(err) || apierrors.IsForbidden(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for what belongs to emulator %q: %w", c.owner, err)
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(kind)
	}
	return list.Items, nil
}

// remove deletes the owner's objects of a kind.
func (c *Cluster) remove(ctx context.Context, kind schema.GroupVersionKind) error {
	objects, err := c.own(ctx, kind)
	if err != nil {
		return err
	}
	var errs []error
	for i := range objects {
		object := &objects[i]
		err := client.IgnoreNotFound(c.client.Delete(ctx, object, client.Preconditions{UID: &object.UID}))
		if err != nil {
			errs = append(errs, fmt.Errorf("delete %s %s: %w", kind.Kind, client.ObjectKeyFromObject(object), err))
		}
	}
	return errors.Join(errs...)
}
