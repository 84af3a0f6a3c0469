package connection

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// Secrets are the Secrets that parameters may name for the driver.
type Secrets struct {
	// Reader reads from the API server itself. The Secret of each call is the current one.
	Reader client.Reader
	// Namespaces have the Secrets.
	Namespaces []string
}

// UseSecrets enables parameters that name a Secret. It is called before the first call to the driver that has parameters.
func (c *Conn) UseSecrets(secrets Secrets) { c.secrets = &secrets }

// WithSecret prepares a call with the parameters of a class. It returns the context of the call, which has the Secret that they
// name, and the parameters for the driver. Without UseSecrets it changes nothing. An error is a *reasons.Error, and names the
// Secret.
func (c *Conn) WithSecret(ctx context.Context, parameters map[string]string) (context.Context, map[string]string, error) {
	if c.secrets == nil {
		return ctx, parameters, nil
	}
	name, own, err := c.secrets.nameIn(parameters)
	if err != nil || name.Name == "" {
		return ctx, own, err
	}
	secret, err := c.secrets.get(ctx, name)
	ctx, err = pass(ctx, name, secret, err)
	return ctx, own, err
}

// WithSecretIfAny is WithSecret for a call that deletes or revokes. Parameters cannot change and a Secret may have been deleted
// before its buckets, which must not block the deletion forever: then the driver gets no Secret, and decides.
func (c *Conn) WithSecretIfAny(ctx context.Context, parameters map[string]string) (context.Context, map[string]string, error) {
	if c.secrets == nil {
		return ctx, parameters, nil
	}
	name, own, err := c.secrets.nameIn(parameters)
	if err != nil || name.Name == "" {
		return ctx, own, nil //nolint:nilerr // a driver that has created something got these parameters from a sidecar with other flags
	}
	secret, err := c.secrets.get(ctx, name)
	if apierrors.IsNotFound(err) {
		return ctx, own, nil
	}
	ctx, err = pass(ctx, name, secret, err)
	return ctx, own, err
}

// nameIn returns the name of the Secret in the parameters, which is empty if they name none, and the other parameters.
func (s *Secrets) nameIn(parameters map[string]string) (name client.ObjectKey, own map[string]string, err error) {
	own = maps.Clone(parameters)
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		switch {
		case key == secretparameters.Name:
			name.Name = parameters[key]
		case key == secretparameters.Namespace:
			name.Namespace = parameters[key]
		case strings.HasPrefix(key, secretparameters.Prefix):
			err = reasons.Invalid(v1alpha2.ReasonInvalidSpec, "parameter %s is unknown: the sidecar knows %s and %s",
				key, secretparameters.Name, secretparameters.Namespace)
		default:
			continue
		}
		delete(own, key)
	}
	switch {
	case err != nil || name == client.ObjectKey{}:
	case name.Name == "" || name.Namespace == "":
		err = reasons.Invalid(v1alpha2.ReasonInvalidSpec, "parameters %s=%q and %s=%q: both are required to name a Secret; correct the class",
			secretparameters.Name, name.Name, secretparameters.Namespace, name.Namespace)
	case !slices.Contains(s.Namespaces, name.Namespace):
		err = reasons.Invalid(v1alpha2.ReasonInvalidSpec,
			"the parameters name Secret %s, but Secrets of namespace %s are not for drivers: start the sidecar with --secret-parameters-from=%s, "+
				"or name a Secret of another namespace (%s)", name, name.Namespace, name.Namespace, strings.Join(s.Namespaces, ", "))
	}
	return name, own, err
}

// get reads a Secret. The sidecar does not watch it: a call that needs it is retried with back-off.
func (s *Secrets) get(ctx context.Context, name client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	return secret, s.Reader.Get(ctx, name, secret)
}

// pass returns the context of a call with a Secret, which get has returned.
func pass(ctx context.Context, name client.ObjectKey, secret *corev1.Secret, err error) (context.Context, error) {
	switch {
	case apierrors.IsNotFound(err):
		return ctx, unavailable("Secret %s, which the class names for the driver, does not exist: create it", name)
	case apierrors.IsForbidden(err):
		return ctx, unavailable("the sidecar may not read Secret %s, which the class names for the driver: "+
			"permit its ServiceAccount to get Secrets of namespace %s", name, name.Namespace)
	case err != nil:
		return ctx, unavailable("read Secret %s, which the class names for the driver: %v", name, err)
	}
	with, err := secretparameters.NewOutgoingContext(ctx, secret.Data)
	if err != nil {
		return ctx, unavailable("Secret %s, which the class names for the driver, cannot be passed to it: %v", name, err)
	}
	return with, nil
}

func unavailable(format string, args ...any) error {
	return reasons.Failed(v1alpha2.ReasonClassSecretUnavailable, format, args...)
}
