// Package scheme registers the built-in kinds that the embedded API server serves.
//
// A kube-apiserver converts each object to an internal type and back. Here the types of
// k8s.io/api are the internal types too, so that nothing is converted. The exception is
// Event of events.k8s.io, whose internal type comes from the core group: both groups serve
// the same objects.
package scheme

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

var (
	// External returns the kinds in the versions that clients use.
	External = sync.OnceValue(newExternal)
	// Scheme returns the kinds of External and their internal versions, with defaults and conversions.
	Scheme = sync.OnceValue(newScheme)
	// Codecs returns the codecs of Scheme.
	Codecs = sync.OnceValue(func() serializer.CodecFactory { return serializer.NewCodecFactory(Scheme()) })
	// ParameterCodec returns the codec of the options in the queries of requests.
	ParameterCodec = sync.OnceValue(func() runtime.ParameterCodec { return runtime.NewParameterCodec(Scheme()) })
)

func newExternal() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(errors.Join(
		corev1.AddToScheme(s),
		authenticationv1.AddToScheme(s),
		authorizationv1.AddToScheme(s),
		batchv1.AddToScheme(s),
		coordinationv1.AddToScheme(s),
		eventsv1.AddToScheme(s),
		rbacv1.AddToScheme(s),
	))
	return s
}

func newScheme() *runtime.Scheme {
	s := newExternal()
	addInternal(s)
	addDefaults(s)
	utilruntime.Must(errors.Join(addConversions(s), addPodOptions(s), addFieldLabels(s)))
	return s
}

// addInternal registers the types of each group as its internal types.
func addInternal(s *runtime.Scheme) {
	for _, version := range []schema.GroupVersion{
		corev1.SchemeGroupVersion, authenticationv1.SchemeGroupVersion, authorizationv1.SchemeGroupVersion,
		batchv1.SchemeGroupVersion, coordinationv1.SchemeGroupVersion, rbacv1.SchemeGroupVersion,
	} {
		types := s.KnownTypes(version)
		for _, kind := range slices.Sorted(maps.Keys(types)) {
			if strings.HasPrefix(types[kind].PkgPath(), "k8s.io/apimachinery/") {
				continue // options, which have internal types of their own
			}
			object, err := s.New(version.WithKind(kind))
			utilruntime.Must(err)
			s.AddKnownTypeWithName(internal(version).WithKind(kind), object)
		}
	}
	s.AddKnownTypes(internal(eventsv1.SchemeGroupVersion), &corev1.Event{}, &corev1.EventList{})
}

func internal(version schema.GroupVersion) schema.GroupVersion {
	return schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
}
