package environment_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// objects are the Secrets and ConfigMaps of a namespace.
type objects struct {
	secrets    map[string]map[string][]byte
	configMaps map[string]map[string]string
}

func (o objects) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	data, ok := o.secrets[name]
	if !ok {
		return nil, apierrors.NewNotFound(corev1.Resource("secrets"), name)
	}
	return &corev1.Secret{Data: data}, nil
}

func (o objects) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	data, ok := o.configMaps[name]
	if !ok {
		return nil, apierrors.NewNotFound(corev1.Resource("configmaps"), name)
	}
	return &corev1.ConfigMap{Data: data}, nil
}

var existing = objects{
	secrets:    map[string]map[string][]byte{"photos": {"BUCKET_NAME": []byte("b-1"), "AWS_ACCESS_KEY_ID": []byte("key"), "no name=": nil}},
	configMaps: map[string]map[string]string{"app": {"BUCKET_NAME": "other", "LEVEL": "debug"}},
}

func secretKey(name, key string, optional bool) corev1.EnvVar {
	return corev1.EnvVar{Name: "X", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key, Optional: new(optional),
	}}}
}

func configKey(name, key string, optional bool) corev1.EnvVar {
	return corev1.EnvVar{Name: "X", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key, Optional: new(optional),
	}}}
}

func field(path string) corev1.EnvVar {
	return corev1.EnvVar{Name: "X", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

func amount(name, divisor string) corev1.EnvVar {
	ref := &corev1.ResourceFieldSelector{Resource: name}
	if divisor != "" {
		ref.Divisor = resource.MustParse(divisor)
	}
	return corev1.EnvVar{Name: "X", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: ref}}
}

func fromSecret(name, prefix string, optional bool) corev1.EnvFromSource {
	return corev1.EnvFromSource{Prefix: prefix, SecretRef: &corev1.SecretEnvSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Optional: new(optional),
	}}
}

func fromConfigMap(name string, optional bool) corev1.EnvFromSource {
	return corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Optional: new(optional),
	}}
}

// Pod: POD-ENV-1, POD-ENV-2
func TestVariables(t *testing.T) {
	t.Parallel()
	x := func(value string) map[string]string { return map[string]string{"X": value} }
	for name, test := range map[string]struct {
		from    []corev1.EnvFromSource
		env     []corev1.EnvVar
		want    map[string]string
		missing string
	}{
		"Value":             {env: []corev1.EnvVar{{Name: "X", Value: "1"}}, want: x("1")},
		"SecretKey":         {env: []corev1.EnvVar{secretKey("photos", "BUCKET_NAME", false)}, want: x("b-1")},
		"NoSecret":          {env: []corev1.EnvVar{secretKey("none", "K", false)}, missing: `secret "none" not found`},
		"OptionalSecret":    {env: []corev1.EnvVar{secretKey("none", "K", true)}},
		"NoSecretKey":       {env: []corev1.EnvVar{secretKey("photos", "K", false)}, missing: "couldn't find key K in Secret shop/photos"},
		"OptionalKey":       {env: []corev1.EnvVar{secretKey("photos", "K", true)}},
		"ConfigMapKey":      {env: []corev1.EnvVar{configKey("app", "LEVEL", false)}, want: x("debug")},
		"NoConfigMap":       {env: []corev1.EnvVar{configKey("none", "K", false)}, missing: `configmap "none" not found`},
		"NoConfigMapKey":    {env: []corev1.EnvVar{configKey("app", "K", false)}, missing: "couldn't find key K in ConfigMap shop/app"},
		"OptionalConfigMap": {env: []corev1.EnvVar{configKey("none", "K", true)}},
		"FromSecret": {
			from: []corev1.EnvFromSource{fromSecret("photos", "P_", false)},
			want: map[string]string{"P_BUCKET_NAME": "b-1", "P_AWS_ACCESS_KEY_ID": "key"},
		},
		"FromNoSecret":    {from: []corev1.EnvFromSource{fromSecret("none", "", false)}, missing: `secret "none" not found`},
		"FromOptional":    {from: []corev1.EnvFromSource{fromSecret("none", "", true), fromConfigMap("none", true)}},
		"FromNoConfigMap": {from: []corev1.EnvFromSource{fromConfigMap("none", false)}, missing: `configmap "none" not found`},
		"Order": {
			from: []corev1.EnvFromSource{fromSecret("photos", "", false), fromConfigMap("app", false)},
			env:  []corev1.EnvVar{{Name: "LEVEL", Value: "$(BUCKET_NAME)-$(AWS_ACCESS_KEY_ID)-$(NONE)-$$(LEVEL)-$(HOME)"}},
			want: map[string]string{"BUCKET_NAME": "other", "AWS_ACCESS_KEY_ID": "key", "LEVEL": "other-key-$(NONE)-$(LEVEL)-/home"},
		},
		"Mounted":         {env: []corev1.EnvVar{{Name: "X", Value: "/creds"}}, want: x("mounted")},
		"FieldName":       {env: []corev1.EnvVar{field("metadata.name")}, want: x("app")},
		"FieldLabel":      {env: []corev1.EnvVar{field("metadata.labels['tier']")}, want: x("web")},
		"FieldLabels":     {env: []corev1.EnvVar{field("metadata.labels")}, want: x("a=\"b\"\ntier=\"web\"")},
		"FieldAddress":    {env: []corev1.EnvVar{field("status.podIP")}, want: x("127.0.0.1")},
		"UnknownField":    {env: []corev1.EnvVar{field("spec.none")}, missing: "unsupported fieldPath: spec.none"},
		"ResourceLimit":   {env: []corev1.EnvVar{amount("limits.memory", "1Mi")}, want: x("96")},
		"ResourceRoundUp": {env: []corev1.EnvVar{amount("limits.cpu", "")}, want: x("2")},
		"ResourceRequest": {env: []corev1.EnvVar{amount("requests.cpu", "1m")}, want: x("250")},
		"NoSource": {
			env:     []corev1.EnvVar{{Name: "X", ValueFrom: &corev1.EnvVarSource{}}},
			missing: "this node does not serve the source of the variable: use value, secretKeyRef, configMapKeyRef, fieldRef or resourceFieldRef",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "app", Labels: map[string]string{"tier": "web", "a": "b"}}}
			container := &corev1.Container{EnvFrom: test.from, Env: test.env, Resources: corev1.ResourceRequirements{
				Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("96Mi"), corev1.ResourceCPU: resource.MustParse("1500m")},
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")},
			}}
			mounted := func(value string) string {
				if value == "/creds" {
					return "mounted"
				}
				return value
			}
			got, err := environment.Variables(t.Context(), existing, pod, container, map[string]string{"HOME": "/home"}, mounted)
			if test.missing != "" {
				if !errors.Is(err, environment.ErrConfig) || err.Error() != test.missing {
					t.Errorf("error %v, want %s", err, test.missing)
				}
				return
			}
			if test.want == nil {
				test.want = map[string]string{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v; variables (-want +got):\n%s", err, diff)
			}
		})
	}
}
