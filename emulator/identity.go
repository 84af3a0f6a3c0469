package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
)

// fieldOwner is the field manager of what the emulator applies.
const fieldOwner = "cosi-emu"

// applyRBAC creates the ServiceAccounts, roles and bindings that the components
// would have on a cluster, from the same files.
func applyRBAC(ctx context.Context, c client.Client) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: deploy.Namespace}}
	if err := c.Create(ctx, namespace); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("create namespace %s: %w", deploy.Namespace, err)
	}
	files, err := fs.Glob(deploy.RBAC, "rbac/*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := applyFile(ctx, c, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func applyFile(ctx context.Context, c client.Client, file string) error {
	data, err := fs.ReadFile(deploy.RBAC, file)
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), len(data))
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		apply := client.ApplyConfigurationFromUnstructured(object)
		if err := c.Apply(ctx, apply, client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
}

// userOf returns the configuration of a client that is, to the API server, the
// ServiceAccount of a component.
func (e *Emulator) userOf(serviceAccount string) (*rest.Config, error) {
	cfg, err := e.plane.UserConfig("system:serviceaccount:"+deploy.Namespace+":"+serviceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+deploy.Namespace)
	if err != nil {
		return nil, fmt.Errorf("make credentials for ServiceAccount %s/%s: %w", deploy.Namespace, serviceAccount, err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // the API server is ours alone
	return cfg, nil
}
