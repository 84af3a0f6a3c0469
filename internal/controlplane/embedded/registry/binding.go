package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storageerrors "k8s.io/apiserver/pkg/storage/errors"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// bindingREST serves the subresource binding of Pods, with which a scheduler assigns a Pod to a node.
type bindingREST struct {
	pods *resourceREST
}

var (
	_ rest.NamedCreater                   = &bindingREST{}
	_ rest.SubresourceObjectMetaPreserver = &bindingREST{}
)

// New implements rest.Storage.
func (r *bindingREST) New() runtime.Object { return &corev1.Binding{} }

// Destroy implements rest.Storage. The resource owns the store.
func (r *bindingREST) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (r *bindingREST) NamespaceScoped() bool { return true }

// PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate implements
// rest.SubresourceObjectMetaPreserver: UID and version are preconditions.
func (r *bindingREST) PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate() bool { return true }

// Create implements rest.NamedCreater.
func (r *bindingREST) Create(
	ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions,
) (runtime.Object, error) {
	binding, ok := obj.(*corev1.Binding)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("not a Binding object: %#v", obj))
	}
	if binding.Name != name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	if errs := validateBinding(binding); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if validate != nil {
		if err := validate(ctx, binding.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	if err := r.assign(ctx, binding, dryrun.IsDryRun(options.DryRun)); err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

func validateBinding(binding *corev1.Binding) field.ErrorList {
	target, path := binding.Target, field.NewPath("target")
	var errs field.ErrorList
	isNode := target.Kind == "" || target.Kind == "Node"
	if !isNode {
		errs = append(errs, field.NotSupported(path.Child("kind"), target.Kind, []string{"Node", "<empty>"}))
	}
	switch {
	case target.Name == "":
		errs = append(errs, required(path.Child("name"))...)
	case isNode:
		for _, message := range apivalidation.NameIsDNSSubdomain(target.Name, false) {
			errs = append(errs, field.Invalid(path.Child("name"), target.Name, message))
		}
	}
	return errs
}

// assign sets the node of a Pod that has none.
func (r *bindingREST) assign(ctx context.Context, binding *corev1.Binding, dryRun bool) error {
	key, err := r.pods.KeyFunc(ctx, binding.Name)
	if err != nil {
		return err
	}
	update := storage.SimpleUpdate(func(obj runtime.Object) (runtime.Object, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, fmt.Errorf("unexpected object: %#v", obj)
		}
		return pod, bind(pod, binding)
	})
	err = r.pods.Storage.GuaranteedUpdate(ctx, key, r.pods.New(), false, preconditions(binding), update, dryRun, nil)
	if err == nil {
		return nil
	}
	err = storageerrors.InterpretGetError(err, corev1.Resource("pods"), binding.Name)
	err = storageerrors.InterpretUpdateError(err, corev1.Resource("pods"), binding.Name)
	if _, isStatus := errors.AsType[*apierrors.StatusError](err); !isStatus {
		err = apierrors.NewConflict(corev1.Resource("pods/binding"), binding.Name, err)
	}
	return err
}

func preconditions(binding *corev1.Binding) *storage.Preconditions {
	conditions := &storage.Preconditions{}
	if binding.UID != "" {
		conditions.UID = &binding.UID
	}
	if binding.ResourceVersion != "" {
		conditions.ResourceVersion = &binding.ResourceVersion
	}
	return conditions
}

func bind(pod *corev1.Pod, binding *corev1.Binding) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", pod.Name)
	}
	pod.Spec.NodeName = binding.Target.Name
	pod.Status.NominatedNodeName = ""
	pod.Annotations = merged(pod.Annotations, binding.Annotations)
	pod.Labels = merged(pod.Labels, binding.Labels)
	setScheduled(&pod.Status)
	return nil
}

func merged(onto, added map[string]string) map[string]string {
	if onto == nil && len(added) > 0 {
		onto = map[string]string{}
	}
	maps.Copy(onto, added)
	return onto
}

// setScheduled sets the condition PodScheduled, with the time at which it became true.
func setScheduled(status *corev1.PodStatus) {
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		if condition.Type != corev1.PodScheduled {
			continue
		}
		since := condition.LastTransitionTime
		if condition.Status != corev1.ConditionTrue {
			since = metav1.Now()
		}
		*condition = corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: since}
		return
	}
	status.Conditions = append(status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
	})
}

// bindingsREST serves Bindings as a resource, the older form of the same.
type bindingsREST struct {
	*bindingREST
}

var (
	_ rest.Creater              = bindingsREST{} //nolint:misspell // the name of the interface
	_ rest.SingularNameProvider = bindingsREST{}
)

// GetSingularName implements rest.SingularNameProvider.
func (bindingsREST) GetSingularName() string { return "binding" }

// Create hides the method of the subresource. The body names the Pod.
func (r bindingsREST) Create(
	ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions,
) (runtime.Object, error) {
	binding, ok := obj.(*corev1.Binding)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("not a Binding object: %T", obj))
	}
	return r.bindingREST.Create(ctx, binding.Name, obj, validate, options)
}
