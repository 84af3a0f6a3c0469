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
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kubectl implements the commands of the program that newcomers use: apply -f, wait --for=condition=, delete.
func (s *shell) kubectl(ctx context.Context, args []string, stdin string) (string, error) {
	k, err := s.connect()
	if err != nil {
		return "", err
	}
	if len(args) > 1 && args[0] == "-n" {
		k.namespace, args = args[1], args[2:]
	}
	const least = 3 // a verb and two arguments
	if len(args) < least {
		return "", errKubectl
	}
	switch condition, waits := strings.CutPrefix(args[1], "--for=condition="); {
	case args[0] == "apply" && args[1] == "-f":
		return "", s.apply(ctx, k, args[2], stdin)
	case args[0] == "wait" && waits:
		return "", k.waitFor(ctx, condition, args[2:])
	case args[0] == "delete":
		return "", k.remove(ctx, args[1]+"/"+args[2])
	default:
		return "", errKubectl
	}
}

var errKubectl = errors.New("this newcomer knows kubectl apply -f, wait --for=condition= and delete")

// apply applies a file, or the input that the shell gives to the command.
func (s *shell) apply(ctx context.Context, k kubernetes, file, stdin string) error {
	if file == "-" {
		return k.apply(ctx, stdin)
	}
	content, err := os.ReadFile(s.out(file))
	if err != nil {
		return err
	}
	return k.apply(ctx, string(content))
}

// connect uses the kubeconfig that the shell knows.
func (s *shell) connect() (kubernetes, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", s.out(s.variables["KUBECONFIG"]))
	if err != nil {
		return kubernetes{}, err
	}
	c, err := client.New(cfg, client.Options{})
	return kubernetes{client: c, namespace: "default"}, err
}

type kubernetes struct {
	client    client.Client
	namespace string
}

func (k kubernetes) apply(ctx context.Context, manifest string) error {
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), len(manifest))
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
