package planetest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	harness.Until(t, what, func(context.Context) (bool, error) { return holds(), nil })
}

// grant gives a user the permissions of rules in a namespace.
func (f *fixture) grant(t *testing.T, namespace, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	ctx := testContext(t)
	must(f.kube.RbacV1().Roles(namespace).Create(ctx,
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}, metav1.CreateOptions{}))(t)
	must(f.kube.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{Kind: "Role", Name: user},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{}))(t)
}

func (f *fixture) testRights(t *testing.T) {
	ctx, namespace, other := testContext(t), f.namespace(t), f.namespace(t)
	const user = "reader"
	f.grant(t, namespace, user,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"list"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"one"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{"objectstorage.k8s.io"}, Resources: []string{"*/status"}, Verbs: []string{"*"}},
	)
	reader := f.user(t, user)
	until(t, "the role takes effect", func() bool {
		_, err := reader.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
		return err == nil
	})
	if _, err := reader.CoreV1().Secrets(other).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("in another namespace: got %v, want Forbidden", err)
	}
	for name, test := range map[string]struct {
		of   authorizationv1.ResourceAttributes
		want bool
	}{
		"Granted":     {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: "secrets"}, true},
		"OtherVerb":   {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "get", Resource: "secrets"}, false},
		"Named":       {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "get", Resource: "configmaps", Name: "one"}, true},
		"OtherName":   {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "get", Resource: "configmaps", Name: "two"}, false},
		"Everywhere":  {authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets"}, false},
		"Subresource": {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "patch", Group: "objectstorage.k8s.io", Resource: "buckets", Subresource: "status"}, true}, //nolint:lll // one case a line
		"Resource":    {authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "patch", Group: "objectstorage.k8s.io", Resource: "buckets"}, false},                       //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			self := must(reader.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &test.of},
			}, metav1.CreateOptions{}))(t)
			asked := must(f.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &test.of},
			}, metav1.CreateOptions{}))(t)
			if self.Status.Allowed != test.want || asked.Status.Allowed != test.want {
				t.Errorf("got %t and %t, want %t", self.Status.Allowed, asked.Status.Allowed, test.want)
			}
		})
	}
	rules := must(reader.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}, metav1.CreateOptions{}))(t)
	if !slices.ContainsFunc(rules.Status.ResourceRules, func(r authorizationv1.ResourceRule) bool {
		return slices.Contains(r.Resources, "secrets") && slices.Contains(r.Verbs, "list")
	}) {
		t.Errorf("the rules of the user do not have the granted one: %+v", rules.Status.ResourceRules)
	}
}

// testEscalation has a user who may write roles, but cannot give away permissions that the user does
// not have.
func (f *fixture) testEscalation(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	const user = "climber"
	f.grant(t, namespace, user,
		rbacv1.PolicyRule{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "rolebindings"}, Verbs: []string{"create", "update", "patch"},
		},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles"}, ResourceNames: []string{"had", "named"},
			Verbs: []string{"escalate"},
		},
	)
	climber := f.user(t, user)
	role := func(name, resource string) *rbacv1.Role {
		return &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get"},
		}}}
	}
	until(t, "the role takes effect", func() bool {
		_, err := climber.RbacV1().Roles(namespace).Create(ctx, role("had", "configmaps"), metav1.CreateOptions{})
		return err == nil
	})
	_, err := climber.RbacV1().Roles(namespace).Create(ctx, role("wanted", "secrets"), metav1.CreateOptions{})
	const message = "is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}"
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), message) {
		t.Errorf("a Role with more: got %v, want Forbidden", err)
	}
	if _, err := climber.RbacV1().Roles(namespace).Create(ctx, role("named", "secrets"), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a Role with more, which may escalate by name: got %v, want Forbidden: a creation has no name", err)
	}
	if _, err := climber.RbacV1().Roles(namespace).Update(ctx, role("had", "secrets"), metav1.UpdateOptions{}); err != nil {
		t.Errorf("an update of a Role that may escalate by name: %v", err)
	}
	f.expectBindings(t, climber, namespace, user)
	f.expectSame(t, climber, namespace)
}

// expectSame has the user apply a binding as it is, but for labels that are empty: it changes its field managers only, and
// gives nothing away.
func (f *fixture) expectSame(t *testing.T, climber kubernetes.Interface, namespace string) {
	t.Helper()
	ctx := testContext(t)
	binding := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: "same"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "admin"}},
	}
	must(f.kube.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{FieldManager: "one"}))(t)
	same := bytes.Replace(must(json.Marshal(binding))(t), []byte(`"metadata":{`), []byte(`"metadata":{"labels":{},`), 1)
	_, err := climber.RbacV1().RoleBindings(namespace).Patch(ctx, "same", types.ApplyPatchType, same, metav1.PatchOptions{FieldManager: "one"})
	if err != nil {
		t.Errorf("a RoleBinding as it is: %v", err)
	}
}

// expectBindings has the user bind roles that the user does not have, or that do not exist.
func (f *fixture) expectBindings(t *testing.T, climber kubernetes.Interface, namespace, user string) {
	t.Helper()
	ctx := testContext(t)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "admin"}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := climber.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a RoleBinding to more: got %v, want Forbidden", err)
	}
	for name, want := range map[string]string{
		"none": `rolebindings.rbac.authorization.k8s.io "none" not found`,
		"":     "Name parameter required.",
		"a/b":  `Name parameter invalid: "a/b": may not contain '/'`,
	} {
		for _, kind := range []string{"Role", "ClusterRole"} {
			binding.RoleRef = rbacv1.RoleRef{Kind: kind, Name: name}
			_, err := climber.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{})
			if err == nil || err.Error() != want {
				t.Errorf("a RoleBinding to no %s %q: got %v, want %s", kind, name, err, want)
			}
		}
	}
	binding.RoleRef = rbacv1.RoleRef{Kind: "Role", Name: "none"}
	made, err := f.kube.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := climber.RbacV1().RoleBindings(namespace).Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Errorf("an update of a RoleBinding to no Role that changes nothing: %v", err)
	}
	made.ResourceVersion = ""
	if _, err := climber.RbacV1().RoleBindings(namespace).Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an update of a RoleBinding to no Role without its version: got %v, want NotFound", err)
	}
}

// testReviews has questions about rights that cannot be answered.
func (f *fixture) testReviews(t *testing.T) {
	ctx := testContext(t)
	resource := func(edit func(*authorizationv1.ResourceAttributes)) *authorizationv1.ResourceAttributes {
		of := &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets"}
		edit(of)
		return of
	}
	plain := resource(func(*authorizationv1.ResourceAttributes) {})
	url := &authorizationv1.NonResourceAttributes{Path: "/", Verb: "get"}
	byField := []metav1.FieldSelectorRequirement{{Key: "metadata.name", Operator: metav1.FieldSelectorOpIn, Values: []string{"a"}}}
	byLabel := []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}
	for reason, spec := range map[string]authorizationv1.SubjectAccessReviewSpec{
		"both attributes": {User: "u", ResourceAttributes: plain, NonResourceAttributes: url},
		"no attributes":   {User: "u"},
		"no user":         {ResourceAttributes: plain},
		"both forms of a field selector": {User: "u", ResourceAttributes: resource(func(of *authorizationv1.ResourceAttributes) {
			of.FieldSelector = &authorizationv1.FieldSelectorAttributes{RawSelector: "metadata.name=a", Requirements: byField}
		})},
		"neither form of a field selector": {User: "u", ResourceAttributes: resource(func(of *authorizationv1.ResourceAttributes) {
			of.FieldSelector = &authorizationv1.FieldSelectorAttributes{}
		})},
		"both forms of a label selector": {User: "u", ResourceAttributes: resource(func(of *authorizationv1.ResourceAttributes) {
			of.LabelSelector = &authorizationv1.LabelSelectorAttributes{RawSelector: "app", Requirements: byLabel}
		})},
	} {
		question := &authorizationv1.SubjectAccessReview{Spec: spec}
		_, err := f.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, question, metav1.CreateOptions{})
		if !apierrors.IsInvalid(err) {
			t.Errorf("%s: got %v, want Invalid", reason, err)
		}
	}
	for reason, edit := range map[string]func(*authorizationv1.ResourceAttributes){
		"a field selector": func(of *authorizationv1.ResourceAttributes) {
			of.FieldSelector = &authorizationv1.FieldSelectorAttributes{Requirements: byField}
		},
		"a selector in one text": func(of *authorizationv1.ResourceAttributes) {
			of.LabelSelector = &authorizationv1.LabelSelectorAttributes{RawSelector: "app"}
		},
	} {
		_, err := f.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: "u", ResourceAttributes: resource(edit)},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// testBindToNothing has a binding to a Role that does not exist.
func (f *fixture) testBindToNothing(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	user := must(f.plane.UserConfig("binder"))(t)
	must(f.kube.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "binder"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"rolebindings"}, Verbs: []string{"create"}}},
	}, metav1.CreateOptions{}))(t)
	must(f.kube.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "binder"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "binder"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "binder"}},
	}, metav1.CreateOptions{}))(t)
	bindings := kubernetes.NewForConfigOrDie(user).RbacV1().RoleBindings(namespace)
	until(t, "a binding to nothing is rejected with the name of the Role", func() bool {
		_, err := bindings.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "to-nothing"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "nothing"},
		}, metav1.CreateOptions{})
		return apierrors.IsNotFound(err) && strings.Contains(err.Error(), `rolebindings.rbac.authorization.k8s.io "nothing" not found`)
	})
}
