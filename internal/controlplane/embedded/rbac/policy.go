package rbac

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// Policy is all Roles and bindings at one moment. It never changes.
type Policy struct {
	roles               map[string]map[string]*rbacv1.Role // by namespace and name
	clusterRoles        map[string]*rbacv1.ClusterRole
	roleBindings        map[string][]*rbacv1.RoleBinding // by namespace
	clusterRoleBindings []*rbacv1.ClusterRoleBinding
}

// NewPolicy returns a policy. It shares the objects, which must not change.
func NewPolicy(
	roles []rbacv1.Role, clusterRoles []rbacv1.ClusterRole,
	roleBindings []rbacv1.RoleBinding, clusterRoleBindings []rbacv1.ClusterRoleBinding,
) *Policy {
	p := &Policy{
		roles:        map[string]map[string]*rbacv1.Role{},
		clusterRoles: make(map[string]*rbacv1.ClusterRole, len(clusterRoles)),
		roleBindings: map[string][]*rbacv1.RoleBinding{},
	}
	for i := range roles {
		role := &roles[i]
		if p.roles[role.Namespace] == nil {
			p.roles[role.Namespace] = map[string]*rbacv1.Role{}
		}
		p.roles[role.Namespace][role.Name] = role
	}
	for i := range clusterRoles {
		p.clusterRoles[clusterRoles[i].Name] = &clusterRoles[i]
	}
	for i := range roleBindings {
		binding := &roleBindings[i]
		p.roleBindings[binding.Namespace] = append(p.roleBindings[binding.Namespace], binding)
	}
	for i := range clusterRoleBindings {
		p.clusterRoleBindings = append(p.clusterRoleBindings, &clusterRoleBindings[i])
	}
	return p
}

// Source returns the policy of this moment.
type Source func(context.Context) (*Policy, error)

// grant is a rule of a user, and the binding that grants it.
type grant struct {
	rule    *rbacv1.PolicyRule
	binding bound
}

// bound is a binding and the subject in it that is the user.
type bound struct {
	kind, name, namespace string
	role                  rbacv1.RoleRef
	subject               *rbacv1.Subject
}

// String describes the binding as a kube-apiserver does.
func (b bound) String() string {
	name := b.name
	if b.namespace != "" {
		name += "/" + b.namespace
	}
	subject := b.subject.Name
	if b.subject.Kind == rbacv1.ServiceAccountKind {
		namespace := b.subject.Namespace
		if namespace == "" {
			namespace = b.namespace
		}
		subject += "/" + namespace
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", b.kind, name, b.role.Kind, b.role.Name, b.subject.Kind, subject)
}

// grants calls visit with each rule of a user in a namespace, until it returns false. It returns
// an error for each binding whose role does not exist.
func (p *Policy) grants(who user.Info, namespace string, visit func(grant) bool) []error {
	var errs []error
	for _, binding := range p.clusterRoleBindings {
		subject := find(who, binding.Subjects, "")
		if subject == nil {
			continue
		}
		at := bound{kind: "ClusterRoleBinding", name: binding.Name, role: binding.RoleRef, subject: subject}
		if !p.visit(at, "", &errs, visit) {
			return errs
		}
	}
	if namespace == "" {
		return errs
	}
	for _, binding := range p.roleBindings[namespace] {
		subject := find(who, binding.Subjects, namespace)
		if subject == nil {
			continue
		}
		at := bound{kind: "RoleBinding", name: binding.Name, namespace: namespace, role: binding.RoleRef, subject: subject}
		if !p.visit(at, namespace, &errs, visit) {
			return errs
		}
	}
	return errs
}

func (p *Policy) visit(at bound, namespace string, errs *[]error, visit func(grant) bool) bool {
	rules, err := p.rulesOf(at.role, namespace)
	if err != nil {
		*errs = append(*errs, err)
	}
	for i := range rules {
		if !visit(grant{&rules[i], at}) {
			return false
		}
	}
	return true
}

// rulesOf returns the rules of a role that a binding in a namespace names.
func (p *Policy) rulesOf(ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	switch ref.Kind {
	case "Role":
		if role, ok := p.roles[namespace][ref.Name]; ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(rbacv1.Resource("role"), ref.Name)
	case "ClusterRole":
		if role, ok := p.clusterRoles[ref.Name]; ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(rbacv1.Resource("clusterrole"), ref.Name)
	default:
		return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
	}
}

// find returns the first of the subjects that is the user, or nil.
func find(who user.Info, subjects []rbacv1.Subject, namespace string) *rbacv1.Subject {
	for i := range subjects {
		if matches(who, &subjects[i], namespace) {
			return &subjects[i]
		}
	}
	return nil
}

func matches(who user.Info, subject *rbacv1.Subject, namespace string) bool {
	switch subject.Kind {
	case rbacv1.UserKind:
		return who.GetName() == subject.Name
	case rbacv1.GroupKind:
		return slices.Contains(who.GetGroups(), subject.Name)
	case rbacv1.ServiceAccountKind:
		if subject.Namespace != "" {
			namespace = subject.Namespace
		}
		return namespace != "" && serviceaccount.MatchesUsername(namespace, subject.Name, who.GetName())
	default:
		return false
	}
}
