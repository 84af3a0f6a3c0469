// Package environment resolves the environment of a container as a kubelet does.
package environment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Objects reads the objects that containers refer to. A missing object is a NotFound error.
type Objects interface {
	Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error)
	ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error)
}

// ErrConfig is the error of a container that cannot start yet, because an object or a key is missing.
var ErrConfig = errors.New("container configuration")

// configError is an ErrConfig with a kubelet's text.
type configError struct{ text string }

func (e configError) Error() string { return e.text }

func (configError) Is(target error) bool { return target == ErrConfig }

func missing(format string, arguments ...any) error {
	return configError{fmt.Sprintf(format, arguments...)}
}

// Variables returns the variables of a container's envFrom and env. The expansion of $(NAME) in env knows the
// given variables, too. The function mounted replaces paths of volumes in values that the Pod's manifest contains.
func Variables(
	ctx context.Context, objects Objects, pod *corev1.Pod, container *corev1.Container, known map[string]string, mounted func(string) string,
) (map[string]string, error) {
	r := resolver{objects: objects, pod: pod, container: container, known: known, mounted: mounted, variables: map[string]string{}}
	for i := range container.EnvFrom {
		if err := r.from(ctx, &container.EnvFrom[i]); err != nil {
			return nil, err
		}
	}
	for i := range container.Env {
		if err := r.add(ctx, &container.Env[i]); err != nil {
			return nil, err
		}
	}
	return r.variables, nil
}

type resolver struct {
	objects          Objects
	pod              *corev1.Pod
	container        *corev1.Container
	known, variables map[string]string
	mounted          func(string) string
}

// from adds all keys of an object. Keys that are no names of variables are left out.
func (r *resolver) from(ctx context.Context, source *corev1.EnvFromSource) error {
	values := map[string]string{}
	switch {
	case source.SecretRef != nil:
		secret, err := r.secret(ctx, source.SecretRef.Name, source.SecretRef.Optional)
		if err != nil || secret == nil {
			return err
		}
		for key, value := range secret.Data {
			values[key] = string(value)
		}
	case source.ConfigMapRef != nil:
		configMap, err := r.configMap(ctx, source.ConfigMapRef.Name, source.ConfigMapRef.Optional)
		if err != nil || configMap == nil {
			return err
		}
		maps.Copy(values, configMap.Data)
	}
	for key, value := range values {
		if name := source.Prefix + key; len(validation.IsRelaxedEnvVarName(name)) == 0 {
			r.variables[name] = value
		}
	}
	return nil
}

func (r *resolver) add(ctx context.Context, variable *corev1.EnvVar) error {
	if variable.ValueFrom == nil {
		r.variables[variable.Name] = r.mounted(Expand(variable.Value, r.variables, r.known))
		return nil
	}
	value, found, err := r.value(ctx, variable.ValueFrom)
	if err == nil && found {
		r.variables[variable.Name] = value
	}
	return err
}

// value returns a value. It is not found if its source is optional and does not exist.
func (r *resolver) value(ctx context.Context, from *corev1.EnvVarSource) (value string, found bool, err error) {
	switch {
	case from.SecretKeyRef != nil:
		return r.secretKey(ctx, from.SecretKeyRef)
	case from.ConfigMapKeyRef != nil:
		return r.configMapKey(ctx, from.ConfigMapKeyRef)
	case from.FieldRef != nil:
		value, err = Field(r.pod, from.FieldRef.FieldPath)
	case from.ResourceFieldRef != nil:
		value, err = Resource(r.pod, r.container, from.ResourceFieldRef)
	default:
		err = missing("this node does not serve the source of the variable: " +
			"use value, secretKeyRef, configMapKeyRef, fieldRef or resourceFieldRef")
	}
	return value, err == nil, err
}

func (r *resolver) secretKey(ctx context.Context, ref *corev1.SecretKeySelector) (string, bool, error) {
	secret, err := r.secret(ctx, ref.Name, ref.Optional)
	if err != nil || secret == nil {
		return "", false, err
	}
	value, found := secret.Data[ref.Key]
	if !found && !isTrue(ref.Optional) {
		return "", false, missing("couldn't find key %s in Secret %s/%s", ref.Key, r.pod.Namespace, ref.Name)
	}
	return string(value), found, nil
}

func (r *resolver) configMapKey(ctx context.Context, ref *corev1.ConfigMapKeySelector) (string, bool, error) {
	configMap, err := r.configMap(ctx, ref.Name, ref.Optional)
	if err != nil || configMap == nil {
		return "", false, err
	}
	value, found := configMap.Data[ref.Key]
	if !found && !isTrue(ref.Optional) {
		return "", false, missing("couldn't find key %s in ConfigMap %s/%s", ref.Key, r.pod.Namespace, ref.Name)
	}
	return value, found, nil
}

// secret returns nil for an optional Secret that does not exist.
func (r *resolver) secret(ctx context.Context, name string, optional *bool) (*corev1.Secret, error) {
	secret, err := r.objects.Secret(ctx, r.pod.Namespace, name)
	if apierrors.IsNotFound(err) {
		if isTrue(optional) {
			return nil, nil //nolint:nilnil // both are legal
		}
		return nil, missing("secret %q not found", name)
	}
	return secret, err
}

// configMap returns nil for an optional ConfigMap that does not exist.
func (r *resolver) configMap(ctx context.Context, name string, optional *bool) (*corev1.ConfigMap, error) {
	configMap, err := r.objects.ConfigMap(ctx, r.pod.Namespace, name)
	if apierrors.IsNotFound(err) {
		if isTrue(optional) {
			return nil, nil //nolint:nilnil // both are legal
		}
		return nil, missing("configmap %q not found", name)
	}
	return configMap, err
}

func isTrue(b *bool) bool { return b != nil && *b }

// Pairs returns variables as NAME=VALUE, in the order of their names.
func Pairs(variables map[string]string) []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		pairs = append(pairs, name+"="+variables[name])
	}
	return pairs
}
