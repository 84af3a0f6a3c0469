package connection

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// secretReader has one Secret, or an error.
type secretReader struct {
	client.Reader

	data map[string][]byte
	err  error
}

func (r secretReader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	secret, ok := into.(*corev1.Secret)
	if !ok || key.String() != "backends/keys" {
		return errors.New("read " + key.String())
	}
	secret.Data = r.data
	return r.err
}

// passed returns the Secret in the metadata of a call.
func passed(t *testing.T, ctx context.Context) map[string]string { //nolint:revive // t comes first in helpers
	t.Helper()
	md, _ := metadata.FromOutgoingContext(ctx)
	secret, err := secretparameters.FromIncomingContext(metadata.NewIncomingContext(ctx, md))
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Design: CK-SECRET-1, CK-SECRET-9
func TestWithSecret(t *testing.T) {
	const name, namespace = secretparameters.Name, secretparameters.Namespace
	secrets := schema.GroupResource{Resource: "secrets"}
	data := map[string][]byte{"token": []byte("hunter2")}
	named := map[string]string{name: "keys", namespace: "backends", "tier": "gold"}
	namedBut := func(key, value string) map[string]string {
		parameters := maps.Clone(named)
		parameters[key] = value
		if value == "" {
			delete(parameters, key)
		}
		return parameters
	}
	for title, tc := range map[string]struct {
		reason     string
		parameters map[string]string
		reader     secretReader
		secret     string
		err        string
		retried    bool
		// deleted is set if calls that delete and revoke are made nevertheless, without a Secret.
		deleted bool
	}{
		"None":     {reason: "classes need not name a Secret", parameters: map[string]string{"tier": "gold"}},
		"Named":    {reason: "the driver gets all keys", parameters: named, reader: secretReader{data: data}, secret: "hunter2"},
		"NameOnly": {reason: "a Secret has a namespace", parameters: namedBut(namespace, ""), err: "both are required", deleted: true},
		"NamespaceOnly": {
			reason: "a Secret has a name", parameters: namedBut(name, ""),
			err: `secret-name="" and cosi-emu.dev/secret-namespace="backends"`, deleted: true,
		},
		"Misspelt": {
			reason: "the prefix is the sidecar's", parameters: namedBut("cosi-emu.dev/secret-mame", "x"),
			err: "parameter cosi-emu.dev/secret-mame is unknown", deleted: true,
		},
		"OtherNamespace": {
			reason: "an administrator selects the namespaces", parameters: namedBut(namespace, "kube-system"),
			err: "Secret kube-system/keys, but Secrets of namespace kube-system are not for drivers: start the sidecar with " +
				"--secret-parameters-from=kube-system", deleted: true,
		},
		"Missing": {
			reason: "it may come later", parameters: named, reader: secretReader{err: apierrors.NewNotFound(secrets, "keys")},
			err: "Secret backends/keys, which the class names for the driver, does not exist", retried: true, deleted: true,
		},
		"Forbidden": {
			reason: "an administrator may grant it later", parameters: named,
			reader: secretReader{err: apierrors.NewForbidden(secrets, "keys", errors.New("no"))},
			err:    "permit its ServiceAccount to get Secrets of namespace backends", retried: true,
		},
		"Unavailable": {
			reason: "the API server may come back", parameters: named, reader: secretReader{err: errors.New("connection refused")},
			err: "read Secret backends/keys, which the class names for the driver: connection refused", retried: true,
		},
		"TooLarge": {
			reason: "an administrator may remove keys", parameters: named,
			reader: secretReader{data: map[string][]byte{"token": []byte(strings.Repeat("hunter2", 1000))}},
			err:    "Secret backends/keys, which the class names for the driver, cannot be passed to it: it has", retried: true,
		},
	} {
		t.Run(title, func(t *testing.T) {
			c := &Conn{}
			c.UseSecrets(Secrets{Reader: tc.reader, Namespaces: []string{"backends"}})
			ctx, parameters, err := c.WithSecret(t.Context(), tc.parameters)
			checkSecretError(t, err, tc.err, tc.retried)
			if !maps.Equal(parameters, map[string]string{"tier": "gold"}) {
				t.Errorf("%s: parameters for the driver: %v", tc.reason, parameters)
			}
			if got := passed(t, ctx)["token"]; got != tc.secret {
				t.Errorf("%s: the driver gets %q, want %q", tc.reason, got, tc.secret)
			}
			if tc.deleted {
				tc.err = ""
			}
			ctx, parameters, err = c.WithSecretIfAny(t.Context(), tc.parameters)
			checkSecretError(t, err, tc.err, tc.retried)
			if len(parameters) != 1 || passed(t, ctx)["token"] != tc.secret {
				t.Errorf("%s: a deletion has the parameters %v", tc.reason, parameters)
			}
		})
	}
}

func checkSecretError(t *testing.T, err error, want string, retried bool) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	found, ok := reasons.As(err)
	reason := v1alpha2.ReasonInvalidSpec
	if retried {
		reason = v1alpha2.ReasonClassSecretUnavailable
	}
	if !ok || !strings.Contains(found.Message, want) || strings.Contains(found.Message, "hunter2") {
		t.Errorf("error %v, want a reason with %q", err, want)
	} else if found.IsRetryable() != retried || found.Reason != reason {
		t.Errorf("error %v: retried %t, want %t and %s", err, found.IsRetryable(), retried, reason)
	}
}

// TestWithoutSecrets: parameters have no meaning for a sidecar without the option.
func TestWithoutSecrets(t *testing.T) {
	parameters := map[string]string{secretparameters.Name: "keys"}
	for title, with := range map[string]func(context.Context, map[string]string) (context.Context, map[string]string, error){
		"WithSecret": (&Conn{}).WithSecret, "WithSecretIfAny": (&Conn{}).WithSecretIfAny,
	} {
		ctx, own, err := with(t.Context(), parameters)
		if err != nil || !maps.Equal(own, parameters) || passed(t, ctx) != nil {
			t.Errorf("%s() = %v, %v", title, own, err)
		}
	}
}
