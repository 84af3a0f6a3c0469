package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storageerrors "k8s.io/apiserver/pkg/storage/errors"
	"k8s.io/apiserver/pkg/util/dryrun"
)

func namespaces() *kind[corev1.Namespace, *corev1.Namespace] {
	return &kind[corev1.Namespace, *corev1.Namespace]{
		resource: corev1.Resource("namespaces"), singular: "namespace", shortNames: []string{"ns"}, cluster: true, returnDeleted: true,
		list: func() runtime.Object { return &corev1.NamespaceList{} },
		prepareCreate: func(n *corev1.Namespace) {
			n.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
			if !slices.Contains(n.Spec.Finalizers, corev1.FinalizerKubernetes) {
				n.Spec.Finalizers = append(n.Spec.Finalizers, corev1.FinalizerKubernetes)
			}
		},
		prepareUpdate: func(n, old *corev1.Namespace) { n.Spec.Finalizers, n.Status = old.Spec.Finalizers, old.Status },
		validate:      func(_ context.Context, n *corev1.Namespace) field.ErrorList { return validateNamespace(n) },
		validateUpdate: func(_ context.Context, n, old *corev1.Namespace) field.ErrorList {
			return append(validateNamespace(n), validateMetaUpdate(n, old)...)
		},
		// A name that was generated is known only now.
		canonicalize: func(n *corev1.Namespace) { metav1.SetMetaDataLabel(&n.ObjectMeta, corev1.LabelMetadataName, n.Name) },
		reset:        resetFields("status"),
		selectable: func(n *corev1.Namespace) fields.Set {
			return fields.Set{"status.phase": string(n.Status.Phase), "name": n.Name}
		},
		columns: []metav1.TableColumnDefinition{nameColumn(), column("Status", "The status of the namespace"), ageColumn()},
		row:     func(n *corev1.Namespace) []any { return []any{n.Name, string(n.Status.Phase), age(n)} },
	}
}

// namespaceStatus are the rules of the subresource status.
func namespaceStatus() *kind[corev1.Namespace, *corev1.Namespace] {
	k := namespaces()
	k.prepareUpdate = func(n, old *corev1.Namespace) { n.Spec = old.Spec }
	k.validateUpdate = func(_ context.Context, n, old *corev1.Namespace) field.ErrorList {
		errs, path := validateMetaUpdate(n, old), field.NewPath("status", "Phase")
		switch {
		case n.DeletionTimestamp.IsZero() && n.Status.Phase != corev1.NamespaceActive:
			return append(errs, field.Invalid(path, n.Status.Phase, "may only be 'Active' if `deletionTimestamp` is empty"))
		case !n.DeletionTimestamp.IsZero() && n.Status.Phase != corev1.NamespaceTerminating:
			return append(errs, field.Invalid(path, n.Status.Phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"))
		default:
			return errs
		}
	}
	k.reset = resetFields("spec")
	return k
}

// namespaceFinalize are the rules of the subresource finalize.
func namespaceFinalize() *kind[corev1.Namespace, *corev1.Namespace] {
	k := namespaces()
	k.prepareUpdate = func(n, old *corev1.Namespace) { n.Status = old.Status }
	k.validateUpdate = func(_ context.Context, n, old *corev1.Namespace) field.ErrorList {
		return append(validateMetaUpdate(n, old), validateFinalizers(n, (*field.Path).Index)...)
	}
	return k
}

func validateNamespace(n *corev1.Namespace) field.ErrorList {
	errs := validateMeta(n, false, apivalidation.ValidateNamespaceName)
	return append(errs, validateFinalizers(n, func(p *field.Path, _ int) *field.Path { return p })...)
}

func validateFinalizers(n *corev1.Namespace, at func(*field.Path, int) *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, finalizer := range n.Spec.Finalizers {
		path := at(field.NewPath("spec", "finalizers"), i)
		errs = append(errs, apivalidation.ValidateFinalizerName(string(finalizer), path)...)
		errs = append(errs, validateFinalizer(string(finalizer), path)...)
	}
	return errs
}

// namespaceREST serves namespaces. Their deletion has two steps: the first makes them
// terminating, and the controller that empties them does the second.
type namespaceREST struct {
	*resourceREST
}

func newNamespaceREST(getter generic.RESTOptionsGetter) (*namespaceREST, error) {
	r, err := newREST(namespaces(), getter)
	if err != nil {
		return nil, err
	}
	r.ShouldDeleteDuringUpdate = func(ctx context.Context, key string, obj, existing runtime.Object) bool {
		n, ok := obj.(*corev1.Namespace)
		return ok && len(n.Spec.Finalizers) == 0 && genericregistry.ShouldDeleteDuringUpdate(ctx, key, obj, existing)
	}
	return &namespaceREST{r}, nil
}

// DeleteCollection hides the generic registry's method: namespaces are deleted one by one.
// It does not implement rest.CollectionDeleter.
func (r *namespaceREST) DeleteCollection() {}

// Delete implements rest.GracefulDeleter.
func (r *namespaceREST) Delete(
	ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	obj, err := r.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, false, err
	}
	n := cast[corev1.Namespace](obj)
	if options, err = withUID(options, n); err != nil {
		return nil, false, err
	}
	switch {
	case n.DeletionTimestamp.IsZero():
		obj, err := r.terminate(ctx, name, validate, options)
		return obj, false, err
	case len(n.Spec.Finalizers) > 0:
		return n, false, nil
	default:
		return r.resourceREST.Delete(ctx, name, validate, options)
	}
}

// withUID adds the UID that was read as a precondition, and checks those that there are.
func withUID(options *metav1.DeleteOptions, n *corev1.Namespace) (*metav1.DeleteOptions, error) {
	if options == nil {
		options = metav1.NewDeleteOptions(0)
	}
	if options.Preconditions == nil {
		options.Preconditions = &metav1.Preconditions{}
	}
	conditions := options.Preconditions
	if conditions.UID == nil {
		conditions.UID = &n.UID
	}
	var err error
	switch {
	case *conditions.UID != n.UID:
		err = fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", //nolint:staticcheck // the words of Kubernetes
			*conditions.UID, n.UID)
	case conditions.ResourceVersion != nil && *conditions.ResourceVersion != n.ResourceVersion:
		err = fmt.Errorf( //nolint:staticcheck // as above
			"Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v",
			*conditions.ResourceVersion, n.ResourceVersion)
	default:
		return options, nil
	}
	return nil, apierrors.NewConflict(corev1.Resource("namespaces"), n.Name, err)
}

func (r *namespaceREST) terminate(
	ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
) (runtime.Object, error) {
	key, err := r.KeyFunc(ctx, name)
	if err != nil {
		return nil, err
	}
	out := r.New()
	preconditions := storage.Preconditions{UID: options.Preconditions.UID, ResourceVersion: options.Preconditions.ResourceVersion}
	err = r.Storage.GuaranteedUpdate(ctx, key, out, false, &preconditions,
		storage.SimpleUpdate(func(existing runtime.Object) (runtime.Object, error) {
			n, ok := existing.(*corev1.Namespace)
			if !ok {
				return nil, fmt.Errorf("expected a Namespace, got %T", existing)
			}
			if err := validate(ctx, n); err != nil {
				return nil, err
			}
			markTerminating(n, options)
			return n, nil
		}), dryrun.IsDryRun(options.DryRun), nil)
	if err == nil {
		return out, nil
	}
	err = storageerrors.InterpretGetError(err, corev1.Resource("namespaces"), name)
	err = storageerrors.InterpretUpdateError(err, corev1.Resource("namespaces"), name)
	if _, ok := errors.AsType[*apierrors.StatusError](err); !ok {
		err = apierrors.NewInternalError(err)
	}
	return nil, err
}

// markTerminating sets the time of the deletion, the phase, and the finalizers of the
// propagation policy.
func markTerminating(n *corev1.Namespace, options *metav1.DeleteOptions) {
	if n.DeletionTimestamp.IsZero() {
		n.DeletionTimestamp = new(metav1.Now())
	}
	n.Status.Phase = corev1.NamespaceTerminating
	setFinalizer(n, metav1.FinalizerOrphanDependents, propagates(options, metav1.DeletePropagationOrphan, true))
	setFinalizer(n, metav1.FinalizerDeleteDependents, propagates(options, metav1.DeletePropagationForeground, false))
}

// propagates returns whether the options select a policy, or nil if they select none.
func propagates(options *metav1.DeleteOptions, policy metav1.DeletionPropagation, orphan bool) *bool {
	if options.OrphanDependents != nil { //nolint:staticcheck // older clients send it
		return new(*options.OrphanDependents == orphan) //nolint:staticcheck // as above
	}
	if options.PropagationPolicy != nil {
		return new(*options.PropagationPolicy == policy)
	}
	return nil
}

func setFinalizer(n *corev1.Namespace, finalizer string, want *bool) {
	has := slices.Contains(n.Finalizers, finalizer)
	switch {
	case want == nil || *want == has:
	case *want:
		n.Finalizers = append(n.Finalizers, finalizer)
	default:
		n.Finalizers = slices.DeleteFunc(n.Finalizers, func(f string) bool { return f == finalizer })
	}
}
