package abandoned

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Accesses are the BucketAccesses of one driver, and how their Secrets refer to them.
type Accesses[T client.Object] struct {
	Driver string
	// Finalizer protects the Secrets.
	Finalizer string
	New       func() T
	// SecretNames returns the names of the Secrets of an access.
	SecretNames func(T) []string
}

// SecretPredicate selects the Secrets of the driver that COSI protects.
func (a Accesses[T]) SecretPredicate() predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	selects := predicate.NewTypedPredicateFuncs(func(secret *metav1.PartialObjectMetadata) bool {
		_, isOurs := a.accessOf(secret)
		return isOurs
	})
	return predicate.And(selects, predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		DeleteFunc: cosireconcile.Never[event.TypedDeleteEvent[*metav1.PartialObjectMetadata]],
	})
}

// AccessPredicate selects the end of an access.
func (Accesses[T]) AccessPredicate() predicate.TypedPredicate[T] {
	return predicate.TypedFuncs[T]{
		CreateFunc: cosireconcile.Never[event.TypedCreateEvent[T]],
		UpdateFunc: cosireconcile.Never[event.TypedUpdateEvent[T]],
	}
}

// MapAccess maps an access to its Secrets.
func (a Accesses[T]) MapAccess() handler.TypedEventHandler[T, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, access T) []reconcile.Request {
		var requests []reconcile.Request
		for _, name := range a.SecretNames(access) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: access.GetNamespace(), Name: name}})
		}
		return requests
	})
}

// accessOf returns the name of the driver's access for which COSI has made a Secret.
func (a Accesses[T]) accessOf(secret client.Object) (name string, isOurs bool) {
	annotations := secret.GetAnnotations()
	namespace, name, found := strings.Cut(annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	return name, found && namespace == secret.GetNamespace() && annotations[v1alpha2.DriverNameAnnotation] == a.Driver &&
		controllerutil.ContainsFinalizer(secret, a.Finalizer)
}

// Keep returns the metadata by which this package recognizes the driver's Secrets that COSI
// protects, and nothing of others: the cache has the Secrets of the whole cluster.
func (a Accesses[T]) Keep(secret client.Object) (annotations map[string]string, finalizers []string) {
	if _, isOurs := a.accessOf(secret); !isOurs {
		return nil, nil
	}
	var kept metav1.ObjectMeta
	for _, name := range []string{v1alpha2.BucketAccessReferenceAnnotation, v1alpha2.DriverNameAnnotation} {
		metav1.SetMetaDataAnnotation(&kept, name, secret.GetAnnotations()[name])
	}
	return kept.Annotations, []string{a.Finalizer}
}
