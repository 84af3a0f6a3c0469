package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

const (
	kindBucketClass       = "BucketClass"
	kindBucketAccessClass = "BucketAccessClass"
	kindBucket            = "Bucket"
	kindBucketClaim       = "BucketClaim"
	kindBucketAccess      = "BucketAccess"
)

type kindInfo struct {
	kind, resource string
	namespaced     bool
}

// kinds are the kinds in the order in which objects are printed and created, with the names of
// their resources.
var kinds = []kindInfo{
	{kindBucketClass, "bucketclasses", false},
	{kindBucketAccessClass, "bucketaccessclasses", false},
	{kindBucket, "buckets", false},
	{kindBucketClaim, "bucketclaims", true},
	{kindBucketAccess, "bucketaccesses", true},
}

const (
	// callTimeout is the time limit for a request to a cluster.
	callTimeout = 30 * time.Second
	pageSize    = 500
)

// ErrInput is wrapped by errors of objects that cannot be migrated or applied.
var ErrInput = errors.New("the input cannot be used")

// Inventory is the COSI of v1alpha1 in a cluster or in files.
type Inventory struct {
	bucketClasses map[string]*v1alpha1.BucketClass
	accessClasses map[string]*v1alpha1.BucketAccessClass
	buckets       map[string]*v1alpha1.Bucket
	claims        map[client.ObjectKey]*v1alpha1.BucketClaim
	accesses      map[client.ObjectKey]*v1alpha1.BucketAccess
}

// Load reads the objects of files. The error lists all problems, and wraps ErrInput.
func Load(objects []manifest.Located) (*Inventory, error) {
	inventory := &Inventory{
		bucketClasses: map[string]*v1alpha1.BucketClass{}, accessClasses: map[string]*v1alpha1.BucketAccessClass{},
		buckets: map[string]*v1alpha1.Bucket{}, claims: map[client.ObjectKey]*v1alpha1.BucketClaim{},
		accesses: map[client.ObjectKey]*v1alpha1.BucketAccess{},
	}
	unique, err := uniqueObjects(objects, v1alpha1.SchemeGroupVersion.Version, map[string]string{
		v1alpha2.SchemeGroupVersion.Version: "it is of v1alpha2 already, and 'cosi-emu migrate' reads v1alpha1; " +
			"a cluster has the objects of one version, so remove one of them from the input",
	})
	errs := []error{err}
	for _, object := range unique {
		if err := inventory.add(object.Unstructured); err != nil {
			errs = append(errs, inputError(object, err.Error()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(unique) == 0 {
		return nil, fmt.Errorf("%w: it has no COSI objects", ErrInput)
	}
	return inventory, nil
}

// SetNamespace gives a namespace to the objects of a namespaced kind that have none, as kubectl does
// with manifests. It returns how many they are.
func SetNamespace(objects []manifest.Located, namespace string) (changed int) {
	for _, object := range objects {
		namespaced := slices.ContainsFunc(kinds, func(k kindInfo) bool { return k.namespaced && k.kind == object.GetKind() })
		if namespaced && object.GetNamespace() == "" {
			object.SetNamespace(namespace)
			changed++
		}
	}
	return changed
}

// uniqueObjects checks that objects are of COSI in a version, and have a name. It drops
// repetitions. Other versions are rejected with a hint.
func uniqueObjects(objects []manifest.Located, version string, hints map[string]string) ([]manifest.Located, error) {
	type id struct{ kind, namespace, name string }
	var (
		unique []manifest.Located
		errs   []error
	)
	seen := map[id]manifest.Located{}
	for _, object := range objects {
		if problem := problemOf(object.Unstructured, version, hints); problem != "" {
			errs = append(errs, inputError(object, problem))
			continue
		}
		key := id{object.GetKind(), object.GetNamespace(), object.GetName()}
		first, again := seen[key]
		switch {
		case !again:
			seen[key] = object
			unique = append(unique, object)
		case !equality.Semantic.DeepEqual(first.Object, object.Object):
			errs = append(errs, inputError(object, "it differs from the object of that name at "+first.Position))
		}
	}
	return unique, errors.Join(errs...)
}

func inputError(object manifest.Located, problem string) error {
	return fmt.Errorf("%w: %s: %s: %s", ErrInput, object.Position, referenceTo(object.Unstructured), problem)
}

// describe names an object for people.
func describe(kind, namespace, name string) string {
	return kind + " " + strings.TrimPrefix(namespace+"/"+name, "/")
}

// problemOf returns the reason for which an object cannot be read, or "".
func problemOf(object *unstructured.Unstructured, version string, hints map[string]string) string {
	of := object.GroupVersionKind()
	i := slices.IndexFunc(kinds, func(k kindInfo) bool { return k.kind == of.Kind })
	switch {
	case of.Group != v1alpha1.GroupName:
		return fmt.Sprintf("it is not an object of COSI (apiVersion %q, not %s/%s)", object.GetAPIVersion(), v1alpha1.GroupName, version)
	case hints[of.Version] != "":
		return hints[of.Version]
	case of.Version != version:
		return fmt.Sprintf("version %q is not known; it must be %s", of.Version, version)
	case i < 0:
		return "COSI has no such kind"
	case kinds[i].namespaced && object.GetNamespace() == "":
		return "it has no metadata.namespace"
	case !kinds[i].namespaced:
		object.SetNamespace("") // as the API server does, for the classes of published manifests
	}
	if problems := validation.IsDNS1123Subdomain(object.GetName()); len(problems) > 0 {
		return "metadata.name: " + problems[0]
	}
	return ""
}

// add decodes an object. Unknown fields are errors, because their meaning would be lost.
func (i *Inventory) add(object *unstructured.Unstructured) error {
	name, key := object.GetName(), client.ObjectKeyFromObject(object)
	switch object.GetKind() {
	case kindBucketClass:
		return decode(object, i.bucketClasses, name, &v1alpha1.BucketClass{})
	case kindBucketAccessClass:
		return decode(object, i.accessClasses, name, &v1alpha1.BucketAccessClass{})
	case kindBucket:
		return decode(object, i.buckets, name, &v1alpha1.Bucket{})
	case kindBucketClaim:
		return decode(object, i.claims, key, &v1alpha1.BucketClaim{})
	default:
		return decode(object, i.accesses, key, &v1alpha1.BucketAccess{})
	}
}

func decode[K comparable, V any](object *unstructured.Unstructured, into map[K]V, key K, value V) error {
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, value, true)
	if err == nil {
		into[key] = value
	}
	return err
}

// Drivers returns the names of all drivers, sorted.
func (i *Inventory) Drivers() []string {
	names := map[string]bool{}
	for _, class := range i.bucketClasses {
		names[class.DriverName] = true
	}
	for _, class := range i.accessClasses {
		names[class.DriverName] = true
	}
	for _, bucket := range i.buckets {
		names[bucket.Spec.DriverName] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// FromCluster reads the objects of a cluster, with read requests only.
func FromCluster(ctx context.Context, cfg *rest.Config) (*Inventory, error) {
	versions, err := existingcluster.ServedVersions(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(versions, v1alpha1.SchemeGroupVersion.Version) {
		return nil, fmt.Errorf("the cluster at %s does not serve %s; it serves versions [%s] of that group",
			cfg.Host, v1alpha1.SchemeGroupVersion, strings.Join(versions, " "))
	}
	if slices.Contains(versions, v1alpha2.SchemeGroupVersion.Version) {
		return nil, fmt.Errorf("the cluster at %s serves v1alpha1 and v1alpha2, so that every object seems to be of both; "+
			"write the objects of v1alpha1 to a file, and translate that with --filename", cfg.Host)
	}
	connection, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	var all []manifest.Located
	for _, k := range kinds {
		resource := connection.Resource(v1alpha1.SchemeGroupVersion.WithResource(k.resource))
		if all, err = appendPages(ctx, all, resource, "the cluster at "+cfg.Host); err != nil {
			return nil, fmt.Errorf("list %s of the cluster at %s: %w", k.resource, cfg.Host, err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the cluster at %s has no objects of %s", cfg.Host, v1alpha1.SchemeGroupVersion)
	}
	return Load(all)
}

func appendPages(ctx context.Context, all []manifest.Located, from dynamic.ResourceInterface, position string) ([]manifest.Located, error) {
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := listPage(ctx, from, options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			all = append(all, manifest.Located{Unstructured: &page.Items[i], Position: position})
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

func listPage(ctx context.Context, from dynamic.ResourceInterface, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return from.List(ctx, options)
}

// sortedByKey returns objects in the order of their namespaces and names.
func sortedByKey[V any](objects map[client.ObjectKey]V) []client.ObjectKey {
	return slices.SortedFunc(maps.Keys(objects), func(a, b client.ObjectKey) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}
