package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kubectl stands in for the program: apply -f, wait --for=condition=, delete.
func (s *shell) kubectl(ctx context.Context, args []string, stdin string) (string, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", s.out(s.variables["KUBECONFIG"]))
	if err != nil {
		return "", err
	}
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		return "", err
	}
	k := kubernetes{client: c, namespace: "default"}
	if len(args) > 1 && args[0] == "-n" {
		k.namespace, args = args[1], args[2:]
	}
	switch {
	case len(args) == 3 && args[0] == "apply" && args[1] == "-f":
		if args[2] != "-" {
			content, err := os.ReadFile(s.out(args[2]))
			if err != nil {
				return "", err
			}
			stdin = string(content)
		}
		return "", k.apply(ctx, stdin)
	case len(args) > 2 && args[0] == "wait" && strings.HasPrefix(args[1], "--for=condition="):
		return "", k.waitFor(ctx, strings.TrimPrefix(args[1], "--for=condition="), args[2:])
	case len(args) == 3 && args[0] == "delete":
		return "", k.remove(ctx, args[1]+"/"+args[2])
	default:
		return "", fmt.Errorf("kubectl %s: this newcomer knows apply -f, wait --for=condition= and delete", strings.Join(args, " "))
	}
}

type kubernetes struct {
	client    client.Client
	namespace string
}

func (k kubernetes) apply(ctx context.Context, manifest string) error {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), len(manifest))
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := k.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("stranger")); err != nil {
			return err
		}
	}
}

// object returns kind/name, for the kinds of COSI.
func (k kubernetes) object(ref string) (*unstructured.Unstructured, error) {
	resource, name, _ := strings.Cut(ref, "/")
	gvk, err := k.client.RESTMapper().KindFor(schema.GroupVersionResource{Group: "objectstorage.k8s.io", Resource: resource})
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	object.SetNamespace(k.namespace)
	object.SetName(name)
	return object, nil
}

// interval is how often this newcomer looks.
const interval = 50 * time.Millisecond

func (k kubernetes) waitFor(ctx context.Context, condition string, refs []string) error {
	for _, ref := range refs {
		object, err := k.object(ref)
		if err != nil {
			return err
		}
		if err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			if err := k.client.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return false, err
			}
			return isTrue(object, condition), nil
		}); err != nil {
			return fmt.Errorf("wait for %s of %s: %w", condition, ref, err)
		}
	}
	return nil
}

func isTrue(object *unstructured.Unstructured, condition string) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		fields, ok := c.(map[string]any)
		return ok && fields["type"] == condition && fields["status"] == "True"
	})
}

// remove deletes an object, and waits until it is gone.
func (k kubernetes) remove(ctx context.Context, ref string) error {
	object, err := k.object(ref)
	if err != nil {
		return err
	}
	if err := k.client.Delete(ctx, object); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		err := k.client.Get(ctx, client.ObjectKeyFromObject(object), object)
		return err != nil, client.IgnoreNotFound(err)
	})
}
