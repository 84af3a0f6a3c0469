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

// SecretPredicate selects the Secrets of the driver that COSI protects.
func SecretPredicate(driverName string) predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	selects := predicate.NewTypedPredicateFuncs(func(secret *metav1.PartialObjectMetadata) bool {
		_, isOurs := accessOf(secret, driverName)
		return isOurs
	})
	return predicate.And(selects, predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		DeleteFunc: cosireconcile.Never[event.TypedDeleteEvent[*metav1.PartialObjectMetadata]],
	})
}

// AccessPredicate selects the end of an access.
func AccessPredicate() predicate.TypedPredicate[*v1alpha2.BucketAccess] {
	return predicate.TypedFuncs[*v1alpha2.BucketAccess]{
		CreateFunc: cosireconcile.Never[event.TypedCreateEvent[*v1alpha2.BucketAccess]],
		UpdateFunc: cosireconcile.Never[event.TypedUpdateEvent[*v1alpha2.BucketAccess]],
	}
}

// MapAccess maps an access to its Secrets.
func MapAccess() handler.TypedEventHandler[*v1alpha2.BucketAccess, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, access *v1alpha2.BucketAccess) []reconcile.Request {
		var requests []reconcile.Request
		for _, name := range secretNames(access) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: access.Namespace, Name: name}})
		}
		return requests
	})
}

func secretNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		names = append(names, access.Spec.BucketClaims[i].AccessSecretName)
	}
	return names
}

// accessOf returns the name of the driver's access that COSI has made a Secret for.
func accessOf(secret client.Object, driverName string) (name string, isOurs bool) {
	annotations := secret.GetAnnotations()
	namespace, name, found := strings.Cut(annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	return name, found && namespace == secret.GetNamespace() && annotations[v1alpha2.DriverNameAnnotation] == driverName &&
		controllerutil.ContainsFinalizer(secret, v1alpha2.ProtectionFinalizer)
}

// Keep returns the metadata by which this package knows a Secret of the driver that
// COSI protects, and nothing of others: the cache has the Secrets of the whole cluster.
func Keep(secret client.Object, driverName string) (annotations map[string]string, finalizers []string) {
	if _, isOurs := accessOf(secret, driverName); !isOurs {
		return nil, nil
	}
	var kept metav1.ObjectMeta
	for _, name := range []string{v1alpha2.BucketAccessReferenceAnnotation, v1alpha2.DriverNameAnnotation} {
		metav1.SetMetaDataAnnotation(&kept, name, secret.GetAnnotations()[name])
	}
	return kept.Annotations, protected
}

// protected is shared by all Secrets of the cache.
var protected = []string{v1alpha2.ProtectionFinalizer}
