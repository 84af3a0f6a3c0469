package registry

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const immutable = "field is immutable when `immutable` is set"

func secrets() *kind[corev1.Secret, *corev1.Secret] {
	return &kind[corev1.Secret, *corev1.Secret]{
		resource: corev1.Resource("secrets"), singular: "secret",
		list: func() runtime.Object { return &corev1.SecretList{} },
		prepareUpdate: func(obj, old *corev1.Secret) {
			if obj.Type == "" {
				obj.Type = old.Type
			}
		},
		validate:       func(_ context.Context, s *corev1.Secret) field.ErrorList { return validateSecret(s) },
		validateUpdate: func(_ context.Context, s, old *corev1.Secret) field.ErrorList { return validateSecretUpdate(s, old) },
		warn:           warnSecret,
		selectable:     func(s *corev1.Secret) fields.Set { return fields.Set{"type": string(s.Type)} },
		columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Type", corev1.Secret{}.SwaggerDoc()["type"]),
			column("Data", corev1.Secret{}.SwaggerDoc()["data"]),
			ageColumn(),
		},
		row: func(s *corev1.Secret) []any { return []any{s.Name, string(s.Type), int64(len(s.Data)), age(s)} },
	}
}

func validateSecret(s *corev1.Secret) field.ErrorList {
	errs := validateMeta(s, true, apivalidation.NameIsDNSSubdomain)
	path, size := field.NewPath("data"), 0
	for key, value := range s.Data {
		errs = append(errs, validateKey(path, key)...)
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(path, "", corev1.MaxSecretSize))
	}
	return append(errs, validateSecretType(s, path)...)
}

// validateSecretType checks that the Secret has the keys of its type.
func validateSecretType(s *corev1.Secret, data *field.Path) field.ErrorList {
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			return required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey))
		}
	case corev1.SecretTypeDockercfg:
		return validateJSON(s, data, corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		return validateJSON(s, data, corev1.DockerConfigJsonKey)
	case corev1.SecretTypeBasicAuth:
		// One of the two is enough.
		if missing := missingKeys(s, data, corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey); len(missing) > 1 {
			return missing
		}
	case corev1.SecretTypeSSHAuth:
		if len(s.Data[corev1.SSHAuthPrivateKey]) == 0 {
			return required(data.Key(corev1.SSHAuthPrivateKey))
		}
	case corev1.SecretTypeTLS:
		return missingKeys(s, data, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	default:
	}
	return nil
}

// missingKeys requires the keys that the Secret does not have.
func missingKeys(s *corev1.Secret, data *field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if _, ok := s.Data[key]; !ok {
			errs = append(errs, required(data.Key(key))...)
		}
	}
	return errs
}

func required(paths ...*field.Path) field.ErrorList {
	errs := make(field.ErrorList, 0, len(paths))
	for _, path := range paths {
		errs = append(errs, field.Required(path, ""))
	}
	return errs
}

func validateJSON(s *corev1.Secret, data *field.Path, key string) field.ErrorList {
	content, ok := s.Data[key]
	if !ok {
		return required(data.Key(key))
	}
	if err := json.Unmarshal(content, &map[string]any{}); err != nil {
		return field.ErrorList{field.Invalid(data.Key(key), "<secret contents redacted>", err.Error())}
	}
	return nil
}

func validateSecretUpdate(s, old *corev1.Secret) field.ErrorList {
	errs := validateMetaUpdate(s, old)
	errs = append(errs, apivalidation.ValidateImmutableField(s.Type, old.Type, field.NewPath("type"))...)
	if isSet(old.Immutable) {
		errs = append(errs, unchanged("immutable", isSet(s.Immutable))...)
		errs = append(errs, unchanged("data", reflect.DeepEqual(s.Data, old.Data))...)
	}
	return append(errs, validateSecret(s)...)
}

func isSet(flag *bool) bool { return flag != nil && *flag }

// unchanged rejects a change of an immutable field.
func unchanged(name string, same bool) field.ErrorList {
	if same {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath(name), immutable)}
}

func warnSecret(s *corev1.Secret) []string {
	if s.Type != corev1.SecretTypeTLS {
		return nil
	}
	if _, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return []string{err.Error()}
	}
	return nil
}
