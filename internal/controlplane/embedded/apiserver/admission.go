package apiserver

import (
	"context"
	"fmt"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
)

// namespaceReader reads a namespace.
type namespaceReader interface {
	Namespace(ctx context.Context, name string) (*corev1.Namespace, error)
}

// namespaceLifecycle rejects objects in namespaces that do not exist or are terminating,
// and the deletion of those that every cluster has.
type namespaceLifecycle struct {
	namespaces namespaceReader
}

var _ admission.MutationInterface = &namespaceLifecycle{}

// Handles implements admission.Interface.
func (*namespaceLifecycle) Handles(operation admission.Operation) bool {
	return operation == admission.Create || operation == admission.Delete
}

// Admit implements admission.MutationInterface. It changes nothing, but has to come before
// the validation of the object.
func (l *namespaceLifecycle) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	isNamespace := a.GetKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind()
	permanent := []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}
	if isNamespace && a.GetOperation() == admission.Delete && slices.Contains(permanent, a.GetName()) {
		return apierrors.NewForbidden(a.GetResource().GroupResource(), a.GetName(), fmt.Errorf("this namespace may not be deleted"))
	}
	if isNamespace || a.GetNamespace() == "" || a.GetOperation() == admission.Delete || isReview(a) {
		return nil
	}
	namespace, err := l.namespaces.Namespace(ctx, a.GetNamespace())
	if apierrors.IsNotFound(err) {
		return err
	}
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if namespace.Status.Phase != corev1.NamespaceTerminating {
		return nil
	}
	rejected := admission.NewForbidden(a,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", a.GetNamespace()))
	if status, ok := rejected.(*apierrors.StatusError); ok { //nolint:errorlint // it is not wrapped
		status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{
			Type:    corev1.NamespaceTerminatingCause,
			Message: fmt.Sprintf("namespace %s is being terminated", a.GetNamespace()),
			Field:   "metadata.namespace",
		})
	}
	return rejected
}

// isReview reports whether a request is a question about rights in a namespace, which may
// not exist.
func isReview(a admission.Attributes) bool {
	return a.GetResource().GroupResource() == authorizationv1.Resource("localsubjectaccessreviews")
}
