package scheme

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// defaultTokenSeconds is the life of a token whose request names none.
const defaultTokenSeconds = 60 * 60

// addDefaults registers the functions that set defaults when objects are decoded, as a
// kube-apiserver does.
func addDefaults(s *runtime.Scheme) {
	addDefault(s, defaultSecret)
	addDefault(s, defaultNamespace)
	addDefault(s, defaultPod)
	addDefault(s, defaultJob)
	addDefault(s, func(m *corev1.ConfigMap) {
		if m.Data == nil {
			m.Data = map[string]string{}
		}
	})
	addDefault(s, defaultNode)
	addDefault(s, func(b *rbacv1.RoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) })
	addDefault(s, func(b *rbacv1.ClusterRoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) })
	addDefault(s, func(r *authenticationv1.TokenRequest) {
		if r.Spec.ExpirationSeconds == nil {
			r.Spec.ExpirationSeconds = new(int64(defaultTokenSeconds))
		}
	})
}

func addDefault[T any](s *runtime.Scheme, set func(*T)) {
	object, ok := any(new(T)).(runtime.Object)
	if !ok {
		panic("defaults are registered for a type that is no object")
	}
	s.AddTypeDefaultingFunc(object, func(o any) {
		if object, ok := o.(*T); ok {
			set(object)
		}
	})
}

// defaultSecret also moves stringData to data. A kube-apiserver does that when it
// converts a Secret to its internal type, which has no such field.
func defaultSecret(s *corev1.Secret) {
	if s.Type == "" {
		s.Type = corev1.SecretTypeOpaque
	}
	if len(s.StringData) > 0 && s.Data == nil {
		s.Data = make(map[string][]byte, len(s.StringData))
	}
	for key, value := range s.StringData {
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
}

// defaultNamespace sets the label with the name. The name may be generated later; then
// the strategy sets the label.
func defaultNamespace(n *corev1.Namespace) {
	if n.Name != "" {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[corev1.LabelMetadataName] = n.Name
	}
	if n.Status.Phase == "" {
		n.Status.Phase = corev1.NamespaceActive
	}
}

func defaultBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	if role.APIGroup == "" {
		role.APIGroup = rbacv1.GroupName
	}
	for i := range subjects {
		subject := &subjects[i]
		if subject.APIGroup == "" && (subject.Kind == rbacv1.UserKind || subject.Kind == rbacv1.GroupKind) {
			subject.APIGroup = rbacv1.GroupName
		}
	}
}
