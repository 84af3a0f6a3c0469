package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/component-helpers/auth/rbac/validation"
)

// CheckEscalation rejects a Role, ClusterRole or binding that grants more than the user
// of the request has. old is the object that it replaces, or nil.
func (a *Authorizer) CheckEscalation(ctx context.Context, obj, old runtime.Object) error {
	who, ok := request.UserFrom(ctx)
	if !ok || slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup) || onlyMetadata(obj, old) {
		return nil
	}
	switch obj := obj.(type) {
	case *rbacv1.Role:
		return a.checkRole(ctx, who, "roles", obj.Name, obj.Rules, false)
	case *rbacv1.ClusterRole:
		before, _ := old.(*rbacv1.ClusterRole)
		return a.checkRole(ctx, who, "clusterroles", obj.Name, obj.Rules, aggregates(obj) || aggregates(before))
	case *rbacv1.RoleBinding:
		return a.checkBinding(ctx, who, "rolebindings", obj.Name, obj.RoleRef, request.NamespaceValue(ctx))
	case *rbacv1.ClusterRoleBinding:
		return a.checkBinding(ctx, who, "clusterrolebindings", obj.Name, obj.RoleRef, "")
	default:
		return nil
	}
}

func aggregates(role *rbacv1.ClusterRole) bool {
	return role != nil && role.AggregationRule != nil && len(role.AggregationRule.ClusterRoleSelectors) > 0
}

// onlyMetadata reports whether an update changes only the metadata that the garbage collector
// changes.
func onlyMetadata(obj, old runtime.Object) bool {
	if old == nil {
		return false
	}
	changed := obj.DeepCopyObject()
	now, ok := changed.(metav1.Object)
	before, okBefore := old.(metav1.Object)
	if !ok || !okBefore {
		return false
	}
	now.SetOwnerReferences(before.GetOwnerReferences())
	now.SetFinalizers(before.GetFinalizers())
	now.SetManagedFields(before.GetManagedFields())
	changed.GetObjectKind().SetGroupVersionKind(old.GetObjectKind().GroupVersionKind()) // an apply leaves it out
	return equality.Semantic.DeepEqual(changed, old)
}

func (a *Authorizer) checkRole(
	ctx context.Context, who user.Info, resource, name string, rules []rbacv1.PolicyRule, aggregated bool,
) error {
	if a.may(ctx, who, "escalate", resource, requestedName(ctx), request.NamespaceValue(ctx)) {
		return nil
	}
	if err := a.confirm(ctx, who, rules); err != nil {
		return apierrors.NewForbidden(rbacv1.Resource(resource), name, err)
	}
	if !aggregated {
		return nil
	}
	everything := []rbacv1.PolicyRule{
		{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}, {Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
	}
	if a.confirm(ctx, who, everything) != nil {
		return apierrors.NewForbidden(rbacv1.Resource(resource), name,
			errors.New("must have cluster-admin privileges to use the aggregationRule"))
	}
	return nil
}

// requestedName is the name in the request's path, which a create lacks: the right to escalate one role by name
// is no right to create it.
func requestedName(ctx context.Context) string {
	info, ok := request.RequestInfoFrom(ctx)
	if !ok {
		return ""
	}
	return info.Name
}

func (a *Authorizer) checkBinding(
	ctx context.Context, who user.Info, resource, name string, role rbacv1.RoleRef, namespace string,
) error {
	isKnown := role.Kind == "Role" || role.Kind == "ClusterRole"
	if isKnown && a.may(ctx, who, "bind", strings.ToLower(role.Kind)+"s", role.Name, namespace) {
		return nil
	}
	policy, err := a.policy(ctx)
	if err != nil {
		return err
	}
	rules, err := policy.rulesOf(role, namespace)
	if apierrors.IsNotFound(err) {
		// kube-apiserver asks its storage for the role, which has no place for some names.
		if _, err := genericregistry.NoNamespaceKeyFunc(ctx, "", role.Name); err != nil {
			return err
		}
		return apierrors.NewNotFound(rbacv1.Resource(resource), role.Name) // kube-apiserver names the binding, too
	}
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, who, rules); err != nil {
		return apierrors.NewForbidden(rbacv1.Resource(resource), name, err)
	}
	return nil
}

func (a *Authorizer) may(ctx context.Context, who user.Info, verb, resource, name, namespace string) bool {
	decision, _, _ := a.Authorize(ctx, authorizer.AttributesRecord{ // an error is no permission
		User: who, Verb: verb, APIGroup: rbacv1.GroupName, APIVersion: "*", Resource: resource, Name: name,
		Namespace: namespace, ResourceRequest: true,
	})
	return decision == authorizer.DecisionAllow
}

// confirm returns an error if the user does not have all the rules.
func (a *Authorizer) confirm(ctx context.Context, who user.Info, rules []rbacv1.PolicyRule) error {
	own, err := a.rules(ctx, who, request.NamespaceValue(ctx))
	covered, missing := validation.Covers(own, rules)
	if covered {
		return nil
	}
	message := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		who.GetName(), who.GetGroups(), strings.Join(describe(missing), "\n"))
	if err != nil {
		message += fmt.Sprintf("; resolution errors: %v", []error{err})
	}
	return errors.New(message)
}

// describe returns a line for each resource that is missing, sorted.
func describe(rules []rbacv1.PolicyRule) []string {
	type target struct{ group, resource, name string }
	var lines []string
	verbs := map[target]*rbacv1.PolicyRule{}
	for i := range rules {
		rule := &rules[i]
		if len(rule.APIGroups) != 1 || len(rule.Resources) != 1 || len(rule.ResourceNames) > 1 || len(rule.NonResourceURLs) > 0 {
			lines = append(lines, compact(rule))
			continue
		}
		at := target{rule.APIGroups[0], rule.Resources[0], strings.Join(rule.ResourceNames, "")}
		if verbs[at] == nil {
			verbs[at] = rule.DeepCopy()
			continue
		}
		verbs[at].Verbs = append(verbs[at].Verbs, rule.Verbs...)
	}
	for _, rule := range verbs {
		lines = append(lines, compact(rule))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func compact(rule *rbacv1.PolicyRule) string {
	var parts []string
	for _, part := range []struct {
		name   string
		values []string
	}{
		{"APIGroups", rule.APIGroups}, {"Resources", rule.Resources}, {"NonResourceURLs", rule.NonResourceURLs},
		{"ResourceNames", rule.ResourceNames}, {"Verbs", rule.Verbs},
	} {
		if len(part.values) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.values))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
