package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func roles() *kind[rbacv1.Role, *rbacv1.Role] {
	validate := func(_ context.Context, r *rbacv1.Role) field.ErrorList {
		return append(validateRBACMeta(r, true), validateRules(r.Rules, true)...)
	}
	return &kind[rbacv1.Role, *rbacv1.Role]{
		resource: rbacv1.Resource("roles"), singular: "role", createOnUpdate: true,
		list:     func() runtime.Object { return &rbacv1.RoleList{} },
		validate: validate,
		validateUpdate: func(ctx context.Context, r, old *rbacv1.Role) field.ErrorList {
			return append(validate(ctx, r), validateMetaUpdate(r, old)...)
		},
	}
}

func clusterRoles() *kind[rbacv1.ClusterRole, *rbacv1.ClusterRole] {
	validate := func(_ context.Context, r *rbacv1.ClusterRole) field.ErrorList {
		errs := append(validateRBACMeta(r, false), validateRules(r.Rules, false)...)
		return append(errs, validateAggregation(r.AggregationRule)...)
	}
	return &kind[rbacv1.ClusterRole, *rbacv1.ClusterRole]{
		resource: rbacv1.Resource("clusterroles"), singular: "clusterrole", createOnUpdate: true, cluster: true,
		list:     func() runtime.Object { return &rbacv1.ClusterRoleList{} },
		validate: validate,
		validateUpdate: func(ctx context.Context, r, old *rbacv1.ClusterRole) field.ErrorList {
			return append(validate(ctx, r), validateMetaUpdate(r, old)...)
		},
	}
}

func roleBindings() *kind[rbacv1.RoleBinding, *rbacv1.RoleBinding] {
	validate := func(_ context.Context, b *rbacv1.RoleBinding) field.ErrorList {
		errs := append(validateRBACMeta(b, true), validateRoleRef(b.RoleRef, "Role", "ClusterRole")...)
		return append(errs, validateSubjects(b.Subjects, true)...)
	}
	return &kind[rbacv1.RoleBinding, *rbacv1.RoleBinding]{
		resource: rbacv1.Resource("rolebindings"), singular: "rolebinding", createOnUpdate: true,
		list:     func() runtime.Object { return &rbacv1.RoleBindingList{} },
		validate: validate,
		validateUpdate: func(ctx context.Context, b, old *rbacv1.RoleBinding) field.ErrorList {
			errs := append(validate(ctx, b), validateMetaUpdate(b, old)...)
			return append(errs, sameRole(b.RoleRef, old.RoleRef)...)
		},
		columns: bindingColumns(rbacv1beta1.RoleBinding{}.SwaggerDoc(), "roleBinding"),
		row:     func(b *rbacv1.RoleBinding) []any { return bindingRow(b, b.RoleRef, b.Subjects) },
	}
}

func clusterRoleBindings() *kind[rbacv1.ClusterRoleBinding, *rbacv1.ClusterRoleBinding] {
	validate := func(_ context.Context, b *rbacv1.ClusterRoleBinding) field.ErrorList {
		errs := append(validateRBACMeta(b, false), validateRoleRef(b.RoleRef, "ClusterRole")...)
		return append(errs, validateSubjects(b.Subjects, false)...)
	}
	return &kind[rbacv1.ClusterRoleBinding, *rbacv1.ClusterRoleBinding]{
		resource: rbacv1.Resource("clusterrolebindings"), singular: "clusterrolebinding", createOnUpdate: true, cluster: true,
		list:     func() runtime.Object { return &rbacv1.ClusterRoleBindingList{} },
		validate: validate,
		validateUpdate: func(ctx context.Context, b, old *rbacv1.ClusterRoleBinding) field.ErrorList {
			errs := append(validate(ctx, b), validateMetaUpdate(b, old)...)
			return append(errs, sameRole(b.RoleRef, old.RoleRef)...)
		},
		columns: bindingColumns(rbacv1beta1.ClusterRoleBinding{}.SwaggerDoc(), "clusterRoleBinding"),
		row:     func(b *rbacv1.ClusterRoleBinding) []any { return bindingRow(b, b.RoleRef, b.Subjects) },
	}
}

// bindingColumns returns the columns of a kind of bindings. A kube-apiserver has the docs of v1beta1.
func bindingColumns(docs map[string]string, kind string) []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		nameColumn(), column("Role", docs["roleRef"]), ageColumn(),
		wideColumn("Users", "Users in the "+kind),
		wideColumn("Groups", "Groups in the "+kind),
		wideColumn("ServiceAccounts", "ServiceAccounts in the "+kind),
	}
}

func bindingRow(obj metav1.Object, role rbacv1.RoleRef, subjects []rbacv1.Subject) []any {
	of := func(kind string) string {
		var names []string
		for _, subject := range subjects {
			if subject.Kind != kind {
				continue
			}
			name := subject.Name
			if kind == rbacv1.ServiceAccountKind && subject.Namespace != "" {
				name = subject.Namespace + "/" + name
			}
			names = append(names, name)
		}
		return strings.Join(names, ", ")
	}
	return []any{
		obj.GetName(), fmt.Sprintf("%s/%s", role.Kind, role.Name), age(obj),
		of(rbacv1.UserKind), of(rbacv1.GroupKind), of(rbacv1.ServiceAccountKind),
	}
}

func validateRBACMeta(obj metav1.Object, namespaced bool) field.ErrorList {
	return validateMeta(obj, namespaced, validateRBACName)
}

func validateRBACName(name string, _ bool) []string { return content.IsPathSegmentName(name) }

func validateRules(rules []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i := range rules {
		errs = append(errs, validateRule(&rules[i], namespaced, field.NewPath("rules").Index(i))...)
	}
	return errs
}

func validateRule(rule *rbacv1.PolicyRule, namespaced bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(rule.Verbs) == 0 {
		errs = append(errs, field.Required(path.Child("verbs"), ""))
	}
	if len(rule.NonResourceURLs) > 0 {
		urls := path.Child("nonResourceURLs")
		if namespaced {
			errs = append(errs, field.Invalid(urls, rule.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
		}
		if len(rule.APIGroups) > 0 || len(rule.Resources) > 0 || len(rule.ResourceNames) > 0 {
			errs = append(errs, field.Invalid(urls, rule.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
		}
		return errs
	}
	if len(rule.APIGroups) == 0 {
		errs = append(errs, field.Required(path.Child("apiGroups"), "resource rules must supply at least one api group"))
	}
	if len(rule.Resources) == 0 {
		errs = append(errs, field.Required(path.Child("resources"), "resource rules must supply at least one resource"))
	}
	return errs
}

func validateAggregation(rule *rbacv1.AggregationRule) field.ErrorList {
	if rule == nil {
		return nil
	}
	path := field.NewPath("aggregationRule", "clusterRoleSelectors")
	var errs field.ErrorList
	if len(rule.ClusterRoleSelectors) == 0 {
		errs = append(errs, field.Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range rule.ClusterRoleSelectors {
		selector := &rule.ClusterRoleSelectors[i]
		errs = append(errs, metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, path.Index(i))...)
		if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
			errs = append(errs, field.Invalid(path.Index(i), selector, "invalid label selector."))
		}
	}
	return errs
}

func validateRoleRef(role rbacv1.RoleRef, kinds ...string) field.ErrorList {
	path := field.NewPath("roleRef")
	var errs field.ErrorList
	if role.APIGroup != rbacv1.GroupName {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), role.APIGroup, []string{rbacv1.GroupName}))
	}
	if !slices.Contains(kinds, role.Kind) {
		errs = append(errs, field.NotSupported(path.Child("kind"), role.Kind, kinds))
	}
	if role.Name == "" {
		return append(errs, required(path.Child("name"))...)
	}
	for _, message := range validateRBACName(role.Name, false) {
		errs = append(errs, field.Invalid(path.Child("name"), role.Name, message))
	}
	return errs
}

func sameRole(now, before rbacv1.RoleRef) field.ErrorList {
	if now == before {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), now, apivalidation.FieldImmutableErrorMsg)}
}

func validateSubjects(subjects []rbacv1.Subject, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i, subject := range subjects {
		errs = append(errs, validateSubject(subject, namespaced, field.NewPath("subjects").Index(i))...)
	}
	return errs
}

func validateSubject(subject rbacv1.Subject, namespaced bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if subject.Name == "" {
		errs = append(errs, required(path.Child("name"))...)
	}
	group := rbacv1.GroupName
	switch subject.Kind {
	case rbacv1.UserKind, rbacv1.GroupKind:
	case rbacv1.ServiceAccountKind:
		group = ""
		errs = append(errs, validateAccountSubject(subject, namespaced, path)...)
	default:
		return append(errs, field.NotSupported(path.Child("kind"), subject.Kind,
			[]string{rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind}))
	}
	if subject.APIGroup != group {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), subject.APIGroup, []string{group}))
	}
	return errs
}

func validateAccountSubject(subject rbacv1.Subject, namespaced bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if subject.Name != "" {
		for _, message := range apivalidation.ValidateServiceAccountName(subject.Name, false) {
			errs = append(errs, field.Invalid(path.Child("name"), subject.Name, message))
		}
	}
	if !namespaced && subject.Namespace == "" {
		errs = append(errs, required(path.Child("namespace"))...)
	}
	return errs
}
