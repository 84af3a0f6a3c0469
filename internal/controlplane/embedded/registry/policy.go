package registry

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	rbacv1 "k8s.io/api/rbac/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/rbac"
)

// policyCache has the policy as of the latest write of a Role or binding.
type policyCache struct {
	writes atomic.Int64 // of Roles and bindings

	mu      sync.Mutex
	current *rbac.Policy
	as      int64 // writes when current was read
}

// currentPolicy is an rbac.Source. It reads the objects again after each write.
func (r *Registry) currentPolicy(ctx context.Context) (*rbac.Policy, error) {
	c := &r.policy
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.writes.Load()
	if c.current != nil && c.as == now {
		return c.current, nil
	}
	policy, err := r.readPolicy(ctx)
	if err != nil {
		return nil, err
	}
	c.current, c.as = policy, now
	return policy, nil
}

func (r *Registry) readPolicy(ctx context.Context) (*rbac.Policy, error) {
	ctx = request.WithNamespace(context.WithoutCancel(ctx), metav1.NamespaceAll)
	roles, err := listAll[*rbacv1.RoleList](ctx, r.roles)
	if err != nil {
		return nil, err
	}
	clusterRoles, err := listAll[*rbacv1.ClusterRoleList](ctx, r.clusterRoles)
	if err != nil {
		return nil, err
	}
	bindings, err := listAll[*rbacv1.RoleBindingList](ctx, r.roleBindings)
	if err != nil {
		return nil, err
	}
	clusterBindings, err := listAll[*rbacv1.ClusterRoleBindingList](ctx, r.clusterBindings)
	if err != nil {
		return nil, err
	}
	return rbac.NewPolicy(roles.Items, clusterRoles.Items, bindings.Items, clusterBindings.Items), nil
}

func listAll[L runtime.Object](ctx context.Context, r rest.Lister) (L, error) {
	list, err := r.List(ctx, &metainternalversion.ListOptions{ResourceVersion: "0"}) // also during an outage of the storage
	if err != nil {
		var none L
		return none, err
	}
	typed, ok := list.(L)
	if !ok {
		return typed, fmt.Errorf("got a list of type %T", list)
	}
	return typed, nil
}

// guard rejects writes that grant more than their user has, and has the policy follow
// the others.
func (r *Registry) guard(store *resourceREST) {
	store.mayWrite = r.authorizer.CheckEscalation
	store.AfterCreate = func(runtime.Object, *metav1.CreateOptions) { r.policy.writes.Add(1) }
	store.AfterUpdate = func(runtime.Object, *metav1.UpdateOptions) { r.policy.writes.Add(1) }
	store.AfterDelete = func(runtime.Object, *metav1.DeleteOptions) { r.policy.writes.Add(1) }
}
