package registry

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/token"
)

// minTokenSeconds is the shortest life of a token.
const minTokenSeconds = 10 * 60

var tokenRequestKind = authenticationv1.SchemeGroupVersion.WithKind("TokenRequest")

// tokenREST serves the subresource token of ServiceAccounts.
type tokenREST struct {
	issuer                  *token.Issuer
	accounts, pods, secrets rest.Getter
}

var (
	_ rest.NamedCreater                   = &tokenREST{}
	_ rest.GroupVersionKindProvider       = &tokenREST{}
	_ rest.SubresourceObjectMetaPreserver = &tokenREST{}
)

// New implements rest.Storage.
func (r *tokenREST) New() runtime.Object { return &authenticationv1.TokenRequest{} }

// Destroy implements rest.Storage.
func (r *tokenREST) Destroy() {}

// GroupVersionKind implements rest.GroupVersionKindProvider.
func (r *tokenREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return tokenRequestKind
}

// PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate implements
// rest.SubresourceObjectMetaPreserver.
func (r *tokenREST) PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate() bool { return true }

// Create implements rest.NamedCreater.
func (r *tokenREST) Create(
	ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions,
) (runtime.Object, error) {
	req, ok := obj.(*authenticationv1.TokenRequest)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("not a TokenRequest: %T", obj))
	}
	account, err := r.account(ctx, name, req)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r.complete(req, account, now)
	if errs := validateTokenRequest(req); len(errs) > 0 {
		return nil, apierrors.NewInvalid(tokenRequestKind.GroupKind(), "", errs)
	}
	if validate != nil {
		if err := validate(ctx, obj.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	bound, err := r.bound(ctx, name, req.Spec.BoundObjectRef)
	if err != nil {
		return nil, err
	}
	seconds := *req.Spec.ExpirationSeconds
	text, err := r.issuer.Issue(account, bound, now, seconds, req.Spec.Audiences)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("failed to generate token: %w", err))
	}
	out := req.DeepCopy()
	out.Status = authenticationv1.TokenRequestStatus{
		Token: text, ExpirationTimestamp: metav1.NewTime(now.Add(time.Duration(seconds) * time.Second)),
	}
	return out, nil
}

// account returns the ServiceAccount, if the request is for it.
func (r *tokenREST) account(ctx context.Context, name string, req *authenticationv1.TokenRequest) (*corev1.ServiceAccount, error) {
	namespace := request.NamespaceValue(ctx)
	var errs field.ErrorList
	if req.Name != "" && req.Name != name {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), req.Name, "must match the service account name if specified"))
	}
	if req.Namespace != "" && req.Namespace != namespace {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "namespace"), req.Namespace,
			"must match the service account namespace if specified"))
	}
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(tokenRequestKind.GroupKind(), name, errs[:1])
	}
	account, err := get[corev1.ServiceAccount](ctx, r.accounts, name)
	if err != nil {
		return nil, err
	}
	if req.UID != "" && req.UID != account.UID {
		return nil, apierrors.NewConflict(schema.GroupResource{Group: tokenRequestKind.Group, Resource: tokenRequestKind.Kind}, name,
			fmt.Errorf("the UID in the token request (%s) does not match the UID of the service account (%s)", req.UID, account.UID))
	}
	return account, nil
}

// complete sets the defaults of a request.
func (r *tokenREST) complete(req *authenticationv1.TokenRequest, account *corev1.ServiceAccount, now time.Time) {
	if len(req.Spec.Audiences) == 0 {
		req.Spec.Audiences = r.issuer.Audiences()
	}
	req.Name, req.Namespace, req.UID = account.Name, account.Namespace, account.UID
	req.CreationTimestamp = metav1.NewTime(now)
	req.Status = authenticationv1.TokenRequestStatus{}
}

func validateTokenRequest(req *authenticationv1.TokenRequest) field.ErrorList {
	path, seconds := field.NewPath("spec", "expirationSeconds"), *req.Spec.ExpirationSeconds
	switch {
	case seconds < minTokenSeconds:
		return field.ErrorList{field.Invalid(path, seconds, "may not specify a duration less than 10 minutes")}
	case seconds > 1<<32:
		return field.ErrorList{field.Invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")}
	default:
		return nil
	}
}

// bound returns the object that a token is bound to, or nil.
func (r *tokenREST) bound(ctx context.Context, account string, ref *authenticationv1.BoundObjectReference) (token.Bound, error) {
	if ref == nil {
		return nil, nil
	}
	var bound token.Bound
	namespace := request.NamespaceValue(ctx)
	kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	switch {
	case kind.Group == "" && kind.Kind == "Pod":
		pod, err := get[corev1.Pod](reading(ctx, "pods", namespace), r.pods, ref.Name)
		if err != nil {
			return nil, err
		}
		if pod.Spec.ServiceAccountName != account {
			return nil, apierrors.NewBadRequest(fmt.Sprintf(
				"cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", account))
		}
		bound = pod
	case kind.Group == "" && kind.Kind == "Secret":
		secret, err := get[corev1.Secret](reading(ctx, "secrets", namespace), r.secrets, ref.Name)
		if err != nil {
			return nil, err
		}
		bound = secret
	default:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s", kind))
	}
	if ref.UID != "" && bound.GetUID() != ref.UID {
		return nil, apierrors.NewConflict(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, ref.Name, fmt.Errorf(
			"the UID in the bound object reference (%s) does not match the UID in record. "+
				"The object might have been deleted and then recreated", ref.UID))
	}
	return bound, nil
}

// get reads an object of a type.
func get[T any, P object[T]](ctx context.Context, getter rest.Getter, name string) (P, error) {
	obj, err := getter.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return cast[T, P](obj), nil
}

// getAny is get for an object that the caller does not change: with a version, the storage returns its
// own object instead of a copy.
func getAny[T any, P object[T]](ctx context.Context, getter rest.Getter, name string) (P, error) {
	obj, err := getter.Get(ctx, name, &metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, err
	}
	return cast[T, P](obj), nil
}
