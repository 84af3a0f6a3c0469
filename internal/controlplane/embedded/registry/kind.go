package registry

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// object is a pointer to the type of a kind.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
}

// kind is how the objects of a built-in kind are stored: their names, rules and columns.
// It is the strategy of their registry. Functions that are nil do nothing.
type kind[T any, P object[T]] struct {
	resource   schema.GroupResource
	singular   string
	shortNames []string
	categories []string
	list       func() runtime.Object
	cluster    bool // not in a namespace
	// createOnUpdate has a PUT create an object that does not exist.
	createOnUpdate bool
	// requireVersion rejects updates without a resourceVersion.
	requireVersion bool
	// returnDeleted has the answer to a deletion be the object, instead of a status.
	returnDeleted bool

	prepareCreate  func(obj P)
	prepareUpdate  func(obj, old P)
	validate       func(ctx context.Context, obj P) field.ErrorList
	validateUpdate func(ctx context.Context, obj, old P) field.ErrorList
	warn           func(obj P) []string
	canonicalize   func(obj P)
	// reset are the fields that prepareUpdate resets, so that they have no field manager.
	reset *fieldpath.Set
	// selectable are the fields for selectors, besides name and namespace.
	selectable func(obj P) fields.Set
	// columns are the columns of tables; nil means name and time of creation.
	columns []metav1.TableColumnDefinition
	row     func(obj P) []any
	// conditions are the conditions of a row; nil means none.
	conditions func(obj P) []metav1.TableRowCondition
}

// store returns the registry of the kind.
func (k *kind[T, P]) store(getter generic.RESTOptionsGetter) (*genericregistry.Store, error) {
	store := &genericregistry.Store{
		NewFunc:                   func() runtime.Object { return P(new(T)) },
		NewListFunc:               k.list,
		PredicateFunc:             k.predicate,
		DefaultQualifiedResource:  k.resource,
		SingularQualifiedResource: schema.GroupResource{Group: k.resource.Group, Resource: k.singular},
		TableConvertor:            k.tables(),
		ReturnDeletedObject:       k.returnDeleted,
	}
	k.apply(store)
	store.CreateStrategy, store.DeleteStrategy = k.strategy(), k.strategy()
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: getter, AttrFunc: k.attributes}); err != nil {
		return nil, fmt.Errorf("make the registry of %s: %w", k.resource, err)
	}
	return store, nil
}

func (k *kind[T, P]) tables() rest.TableConvertor {
	if k.columns == nil {
		return rest.NewDefaultTableConvertor(k.resource)
	}
	return table[T, P]{k.columns, k.row, k.conditions}
}

// subresource returns a registry of the same objects with the rules of a subresource.
func (k *kind[T, P]) subresource(store *genericregistry.Store) *genericregistry.Store {
	clone := *store
	k.apply(&clone)
	clone.CreateStrategy, clone.DeleteStrategy = nil, nil
	return &clone
}

func (k *kind[T, P]) apply(store *genericregistry.Store) {
	s := k.strategy()
	store.UpdateStrategy = s
	if k.reset != nil {
		store.ResetFieldsStrategy = s
	}
}

func (k *kind[T, P]) strategy() strategy[T, P] {
	return strategy[T, P]{ObjectTyper: scheme.Scheme(), NameGenerator: names.SimpleNameGenerator, kind: k}
}

func (k *kind[T, P]) predicate(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: k.attributes}
}

func (k *kind[T, P]) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	typed, ok := obj.(P)
	if !ok {
		return nil, nil, fmt.Errorf("%T is not of kind %s", obj, k.singular)
	}
	set := fields.Set{"metadata.name": typed.GetName()}
	if !k.cluster {
		set["metadata.namespace"] = typed.GetNamespace()
	}
	if k.selectable != nil {
		maps.Copy(set, k.selectable(typed))
	}
	return typed.GetLabels(), set, nil
}
