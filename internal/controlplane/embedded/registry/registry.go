package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/podproxy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/rbac"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/token"
)

// Registry has the storage of the built-in kinds of one API server.
type Registry struct {
	namespaces                                         *namespaceREST
	secrets, configMaps, accounts, events, pods        *resourceREST
	quotas, leases, nodes                              *resourceREST
	jobs                                               *jobREST // nil without a node for Pods
	roles, clusterRoles, roleBindings, clusterBindings *resourceREST

	policy     policyCache
	authorizer *rbac.Authorizer
}

// New returns a registry whose objects are in the storage of the options. With a node for Pods, it has Jobs.
func New(getter generic.RESTOptionsGetter, pods bool) (*Registry, error) {
	r := &Registry{}
	var errs []error
	var err error
	r.namespaces, err = newNamespaceREST(getter)
	errs = append(errs, err)
	r.events, err = newEventREST(getter)
	errs = append(errs, err)
	r.pods, err = newPodREST(getter)
	errs = append(errs, err)
	if pods {
		r.jobs, err = newJobREST(getter)
		errs = append(errs, err)
	}
	add(&r.secrets, secrets(), getter, &errs)
	add(&r.configMaps, configMaps(), getter, &errs)
	add(&r.accounts, serviceAccounts(), getter, &errs)
	add(&r.quotas, quotas(), getter, &errs)
	add(&r.leases, leases(), getter, &errs)
	add(&r.nodes, nodes(), getter, &errs)
	add(&r.roles, roles(), getter, &errs)
	add(&r.clusterRoles, clusterRoles(), getter, &errs)
	add(&r.roleBindings, roleBindings(), getter, &errs)
	add(&r.clusterBindings, clusterRoleBindings(), getter, &errs)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r.authorizer = rbac.NewAuthorizer(r.currentPolicy)
	for _, store := range []*resourceREST{r.roles, r.clusterRoles, r.roleBindings, r.clusterBindings} {
		r.guard(store)
	}
	return r, nil
}

func add[T any, P object[T]](to **resourceREST, k *kind[T, P], getter generic.RESTOptionsGetter, errs *[]error) {
	r, err := newREST(k, getter)
	*to = r
	*errs = append(*errs, err)
}

// Authorizer returns the authorizer by the stored Roles and bindings.
func (r *Registry) Authorizer() *rbac.Authorizer { return r.authorizer }

// Backends answer requests that concern more than stored objects: about rights and tokens, and to nodes.
type Backends struct {
	Authenticator authenticator.Request
	Issuer        *token.Issuer
	// Nodes connects to the nodes of Pods.
	Nodes http.RoundTripper
}

// Groups returns the API groups.
func (r *Registry) Groups(backends Backends) (core *genericapiserver.APIGroupInfo, others []*genericapiserver.APIGroupInfo) {
	core = group(corev1.GroupName, r.core(backends))
	audiences := backends.Issuer.Audiences()
	others = []*genericapiserver.APIGroupInfo{
		group(authenticationv1.GroupName, map[string]rest.Storage{
			"tokenreviews":       tokenReviews(backends.Authenticator, audiences),
			"selfsubjectreviews": selfSubjectReviews(),
		}),
		group(authorizationv1.GroupName, map[string]rest.Storage{
			"subjectaccessreviews":      subjectAccessReviews(r.authorizer),
			"localsubjectaccessreviews": localSubjectAccessReviews(r.authorizer),
			"selfsubjectaccessreviews":  selfSubjectAccessReviews(r.authorizer),
			"selfsubjectrulesreviews":   selfSubjectRulesReviews(r.authorizer),
		}),
		group(coordinationv1.GroupName, map[string]rest.Storage{"leases": r.leases}),
		group(eventsv1.GroupName, map[string]rest.Storage{"events": r.events}),
		group(rbacv1.GroupName, map[string]rest.Storage{
			"roles": r.roles, "clusterroles": r.clusterRoles,
			"rolebindings": r.roleBindings, "clusterrolebindings": r.clusterBindings,
		}),
	}
	if r.jobs != nil {
		others = append(others, group(batchv1.GroupName, r.jobs.resources()))
	}
	return core, others
}

func (r *Registry) core(backends Backends) map[string]rest.Storage {
	binding := &bindingREST{r.pods}
	proxy := &podproxy.Proxy{Pod: r.Pod, Node: r.node, Authorizer: r.authorizer, Transport: backends.Nodes}
	resources := map[string]rest.Storage{
		"namespaces":            r.namespaces,
		"namespaces/status":     newStatusREST(namespaceStatus().subresource(r.namespaces.Store)),
		"namespaces/finalize":   &updateREST{namespaceFinalize().subresource(r.namespaces.Store)},
		"secrets":               r.secrets,
		"configmaps":            r.configMaps,
		"serviceaccounts":       r.accounts,
		"serviceaccounts/token": &tokenREST{issuer: backends.Issuer, accounts: r.accounts, pods: r.pods, secrets: r.secrets},
		"events":                r.events,
		"nodes":                 r.nodes,
		"nodes/status":          newStatusREST(nodeStatus().subresource(r.nodes.Store)),
		"bindings":              bindingsREST{binding},
		"pods":                  r.pods,
		"pods/binding":          binding,
		"pods/status":           newStatusREST(podStatus().subresource(r.pods.Store)),
		"resourcequotas":        r.quotas,
		"resourcequotas/status": newStatusREST(quotaStatus().subresource(r.quotas.Store)),
	}
	maps.Copy(resources, proxy.Storage())
	return resources
}

func group(name string, storage map[string]rest.Storage) *genericapiserver.APIGroupInfo {
	info := genericapiserver.NewDefaultAPIGroupInfo(name, scheme.Scheme(), scheme.ParameterCodec(), scheme.Codecs())
	info.VersionedResourcesStorageMap["v1"] = storage
	return &info
}

// reading returns the context of a read for another request. Errors name its resource.
func reading(ctx context.Context, resource, namespace string) context.Context {
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{IsResourceRequest: true, Verb: "get", APIVersion: "v1", Resource: resource})
	return request.WithNamespace(ctx, namespace)
}

// ServiceAccount implements token.Getter. A token is valid also during an outage of the storage.
func (r *Registry) ServiceAccount(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error) {
	return getAny[corev1.ServiceAccount](reading(ctx, "serviceaccounts", namespace), r.accounts, name)
}

// Pod implements token.Getter.
func (r *Registry) Pod(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	return getAny[corev1.Pod](reading(ctx, "pods", namespace), r.pods, name)
}

// Secret implements token.Getter.
func (r *Registry) Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	return getAny[corev1.Secret](reading(ctx, "secrets", namespace), r.secrets, name)
}

// node reads the node of a Pod. An error names the resource of the request, as in a kube-apiserver.
func (r *Registry) node(ctx context.Context, name string) (*corev1.Node, error) {
	return getAny[corev1.Node](ctx, r.nodes, name)
}

// Namespace returns a namespace, which the caller must not change.
func (r *Registry) Namespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	return getAny[corev1.Namespace](reading(ctx, "namespaces", metav1.NamespaceNone), r.namespaces, name)
}

// Quotas returns the ResourceQuotas of a namespace, which the caller must not change.
func (r *Registry) Quotas(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error) {
	list, err := r.quotas.List(request.WithNamespace(ctx, namespace), &metainternalversion.ListOptions{})
	if err != nil {
		return nil, err
	}
	typed, ok := list.(*corev1.ResourceQuotaList)
	if !ok {
		return nil, fmt.Errorf("got a list of type %T", list)
	}
	return typed.Items, nil
}

// UpdateQuota changes the status of a ResourceQuota. If change returns an error, it
// changes nothing.
func (r *Registry) UpdateQuota(ctx context.Context, quota *corev1.ResourceQuota, change func(*corev1.ResourceQuota) error) error {
	key, err := r.quotas.KeyFunc(request.WithNamespace(ctx, quota.Namespace), quota.Name)
	if err != nil {
		return err
	}
	update := storage.SimpleUpdate(func(obj runtime.Object) (runtime.Object, error) {
		current, ok := obj.(*corev1.ResourceQuota)
		if !ok {
			return nil, fmt.Errorf("quota %s/%s is a %T", quota.Namespace, quota.Name, obj)
		}
		return current, change(current)
	})
	err = r.quotas.Storage.GuaranteedUpdate(ctx, key, r.quotas.New(), false, nil, update, false, nil)
	if storage.IsNotFound(err) {
		return nil
	}
	return err
}
