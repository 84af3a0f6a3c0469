package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Lists are all objects of COSI, in v1alpha2, without managed fields.
type Lists struct {
	Claims        []v1alpha2.BucketClaim
	Buckets       []v1alpha2.Bucket
	Accesses      []v1alpha2.BucketAccess
	BucketClasses []v1alpha2.BucketClass
	AccessClasses []v1alpha2.BucketAccessClass
	// Secrets are access Secrets. BucketAccessReferenceAnnotation names the access.
	Secrets []corev1.Secret
}

// Options limit Read.
type Options struct {
	// Namespace limits all namespaced objects to one namespace.
	Namespace string
	// SecretNamespace limits Secrets to one namespace.
	SecretNamespace string
	// Cached reads from the watch cache of the API server. In an idle cluster it is current, and
	// takes a fiftieth of the time.
	Cached bool
	// Unnamed also reads Secrets that have a finalizer of COSI and no annotation that names an access.
	Unnamed bool
}

// reads reports whether a Secret of v1alpha2 is an access Secret.
func (o Options) reads(s *corev1.Secret) bool {
	return s.Annotations[v1alpha2.BucketAccessReferenceAnnotation] != "" || o.Unnamed &&
		(slices.Contains(s.Finalizers, v1alpha2.ProtectionFinalizer) || slices.Contains(s.Finalizers, v1alpha1.SecretFinalizer))
}

// natives are the objects of v1alpha1.
type natives struct {
	claims        v1alpha1.BucketClaimList
	buckets       v1alpha1.BucketList
	accesses      v1alpha1.BucketAccessList
	bucketClasses v1alpha1.BucketClassList
	accessClasses v1alpha1.BucketAccessClassList
	secrets       corev1.SecretList
	events        corev1.EventList
}

// Read reads the objects of a version. It sends all requests at the same time.
func Read(ctx context.Context, from client.Reader, version objectstorage.Version, opts Options) (Lists, error) {
	if version == objectstorage.V1alpha1 {
		return readV1alpha1(ctx, from, opts)
	}
	return readV1alpha2(ctx, from, opts)
}

func readV1alpha2(ctx context.Context, from client.Reader, opts Options) (Lists, error) {
	var claims v1alpha2.BucketClaimList
	var buckets v1alpha2.BucketList
	var accesses v1alpha2.BucketAccessList
	var bucketClasses v1alpha2.BucketClassList
	var accessClasses v1alpha2.BucketAccessClassList
	var secrets corev1.SecretList
	err := opts.list(ctx, from, &claims, &buckets, &accesses, &bucketClasses, &accessClasses, &secrets)
	if err != nil {
		return Lists{}, err
	}
	l := Lists{
		Claims: claims.Items, Buckets: buckets.Items, Accesses: accesses.Items,
		BucketClasses: bucketClasses.Items, AccessClasses: accessClasses.Items,
	}
	for i := range secrets.Items {
		if opts.reads(&secrets.Items[i]) {
			l.Secrets = append(l.Secrets, secrets.Items[i])
		}
	}
	l.dropManagedFields()
	return l, nil
}

func (l *Lists) dropManagedFields() {
	for i := range l.Claims {
		l.Claims[i].ManagedFields = nil
	}
	for i := range l.Buckets {
		l.Buckets[i].ManagedFields = nil
	}
	for i := range l.Accesses {
		l.Accesses[i].ManagedFields = nil
	}
	for i := range l.BucketClasses {
		l.BucketClasses[i].ManagedFields = nil
	}
	for i := range l.AccessClasses {
		l.AccessClasses[i].ManagedFields = nil
	}
	for i := range l.Secrets {
		l.Secrets[i].ManagedFields = nil
	}
}

func readV1alpha1(ctx context.Context, from client.Reader, opts Options) (Lists, error) {
	n := &natives{}
	err := opts.list(ctx, from, &n.claims, &n.buckets, &n.accesses, &n.bucketClasses, &n.accessClasses, &n.secrets, &n.events)
	if err != nil {
		return Lists{}, err
	}
	return n.convert(), nil
}

func (n *natives) convert() Lists {
	converted := Lists{}
	for i := range n.claims.Items {
		converted.Claims = append(converted.Claims, n.claim(&n.claims.Items[i]))
	}
	for i := range n.buckets.Items {
		converted.Buckets = append(converted.Buckets, n.bucket(&n.buckets.Items[i]))
	}
	for i := range n.accesses.Items {
		converted.Accesses = append(converted.Accesses, n.access(&n.accesses.Items[i]))
	}
	for i := range n.bucketClasses.Items {
		converted.BucketClasses = append(converted.BucketClasses, bucketClass(&n.bucketClasses.Items[i]))
	}
	for i := range n.accessClasses.Items {
		converted.AccessClasses = append(converted.AccessClasses, accessClass(&n.accessClasses.Items[i]))
	}
	for i := range n.secrets.Items {
		if s, ok := n.secret(&n.secrets.Items[i]); ok {
			converted.Secrets = append(converted.Secrets, s)
		}
	}
	return converted
}

func (o Options) list(ctx context.Context, from client.Reader, lists ...client.ObjectList) error {
	var all sync.WaitGroup
	errs := make([]error, len(lists))
	for i, list := range lists {
		all.Go(func() {
			if err := from.List(ctx, list, o.of(list)); err != nil {
				errs[i] = fmt.Errorf("list %T: %w", list, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (o Options) of(list client.ObjectList) *client.ListOptions {
	options := &client.ListOptions{Namespace: o.Namespace}
	switch list.(type) {
	case *v1alpha2.BucketList, *v1alpha2.BucketClassList, *v1alpha2.BucketAccessClassList,
		*v1alpha1.BucketList, *v1alpha1.BucketClassList, *v1alpha1.BucketAccessClassList,
		*corev1.EventList: // Events of Buckets are in another namespace
		options.Namespace = ""
	case *corev1.SecretList:
		if o.SecretNamespace != "" {
			options.Namespace = o.SecretNamespace
		}
	}
	if o.Cached {
		options.Raw = &metav1.ListOptions{ResourceVersion: "0"}
	}
	return options
}

// Reference returns an object with the name of a converted one, in a version, for requests that
// delete or patch it. Secrets are the same in all versions.
func Reference(version objectstorage.Version, o client.Object) client.Object {
	var kind string
	switch o.(type) {
	case *v1alpha2.BucketClaim:
		kind = "BucketClaim"
	case *v1alpha2.Bucket:
		kind = "Bucket"
	case *v1alpha2.BucketAccess:
		kind = "BucketAccess"
	case *v1alpha2.BucketClass:
		kind = "BucketClass"
	case *v1alpha2.BucketAccessClass:
		kind = "BucketAccessClass"
	default:
		return o
	}
	reference := &unstructured.Unstructured{}
	reference.SetGroupVersionKind(version.GroupVersion().WithKind(kind))
	reference.SetNamespace(o.GetNamespace())
	reference.SetName(o.GetName())
	return reference
}
