package registry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// resourceREST serves a resource.
type resourceREST struct {
	*genericregistry.Store
	shortNames []string
	categories []string
	// mayWrite, if set, rejects an object before it is completed: before a create generates its name, and before an update
	// adds a version that it leaves out. There is no old object for a create.
	mayWrite func(ctx context.Context, obj, old runtime.Object) error
}

var (
	_ rest.StandardStorage    = &resourceREST{}
	_ rest.ShortNamesProvider = &resourceREST{}
	_ rest.CategoriesProvider = &resourceREST{}
)

func newREST[T any, P object[T]](k *kind[T, P], getter generic.RESTOptionsGetter) (*resourceREST, error) {
	store, err := k.store(getter)
	if err != nil {
		return nil, err
	}
	return &resourceREST{Store: store, shortNames: k.shortNames, categories: k.categories}, nil
}

// ShortNames implements rest.ShortNamesProvider.
func (r *resourceREST) ShortNames() []string { return r.shortNames }

// Categories implements rest.CategoriesProvider.
func (r *resourceREST) Categories() []string { return r.categories }

// Create implements rest.StandardStorage.
func (r *resourceREST) Create(
	ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions,
) (runtime.Object, error) {
	if r.mayWrite != nil {
		if err := r.mayWrite(ctx, obj, nil); err != nil {
			return nil, err
		}
	}
	return r.Store.Create(ctx, obj, validate, options)
}

// Update implements rest.StandardStorage.
func (r *resourceREST) Update(
	ctx context.Context, name string, info rest.UpdatedObjectInfo, validate rest.ValidateObjectFunc,
	validateUpdate rest.ValidateObjectUpdateFunc, forceCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	if r.mayWrite != nil {
		info = rest.WrapUpdatedObjectInfo(info, func(ctx context.Context, obj, old runtime.Object) (runtime.Object, error) {
			return obj, r.mayWrite(ctx, obj, old)
		})
	}
	return r.Store.Update(ctx, name, keepTimes(info), validate, validateUpdate, forceCreate, options)
}

// keepTimes has an update that changes nothing keep the times of its field managers, so that it writes nothing. The
// handler of the request has tried that, too; but its conversion of the old object, to the type that it has
// already, has set apiVersion and kind there.
func keepTimes(info rest.UpdatedObjectInfo) rest.UpdatedObjectInfo {
	return rest.WrapUpdatedObjectInfo(info, func(ctx context.Context, obj, old runtime.Object) (runtime.Object, error) {
		old.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, obj, old)
	})
}

// updateREST serves a subresource that only updates an object.
type updateREST struct {
	store *genericregistry.Store
}

var _ rest.Updater = &updateREST{}

// New implements rest.Storage.
func (r *updateREST) New() runtime.Object { return r.store.New() }

// Destroy implements rest.Storage. The resource owns the store.
func (r *updateREST) Destroy() {}

// Update implements rest.Updater. A subresource never creates an object.
func (r *updateREST) Update(
	ctx context.Context, name string, info rest.UpdatedObjectInfo, validate rest.ValidateObjectFunc,
	validateUpdate rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, keepTimes(info), validate, validateUpdate, false, options)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (r *updateREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

// statusREST serves a subresource that reads and updates an object.
type statusREST struct {
	updateREST
}

var (
	_ rest.Patcher        = &statusREST{}
	_ rest.TableConvertor = &statusREST{}
)

func newStatusREST(store *genericregistry.Store) *statusREST {
	return &statusREST{updateREST{store}}
}

// Get implements rest.Getter.
func (r *statusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

// ConvertToTable implements rest.TableConvertor.
func (r *statusREST) ConvertToTable(ctx context.Context, obj, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, obj, options)
}
