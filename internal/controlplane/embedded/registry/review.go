package registry

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// review serves a kind whose objects are questions: they are answered, and not stored.
type review[T any, P object[T]] struct {
	singular   string
	namespaced bool
	// check rejects invalid questions.
	check func(ctx context.Context, question P) error
	// answer returns the question with its answer.
	answer func(ctx context.Context, question P) (P, error)
}

// reviewREST are the interfaces that the API installer requires of a review.
type reviewREST interface {
	rest.Storage
	rest.Creater //nolint:misspell // the name of the interface
	rest.Scoper
	rest.SingularNameProvider
}

// New implements rest.Storage.
func (r *review[T, P]) New() runtime.Object { return P(new(T)) }

// Destroy implements rest.Storage.
func (r *review[T, P]) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (r *review[T, P]) NamespaceScoped() bool { return r.namespaced }

// GetSingularName implements rest.SingularNameProvider.
func (r *review[T, P]) GetSingularName() string { return r.singular }

// Create answers a question.
func (r *review[T, P]) Create(
	ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions,
) (runtime.Object, error) {
	question, ok := obj.(P)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("not of kind %s: %T", r.singular, obj))
	}
	if r.check != nil {
		if err := r.check(ctx, question); err != nil {
			return nil, err
		}
	}
	if validate != nil {
		if err := validate(ctx, obj.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	return r.answer(ctx, question)
}
