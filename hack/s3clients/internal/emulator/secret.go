package emulator

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
)

const (
	// readyTimeout bounds what takes a tenth of a second when it works.
	readyTimeout = 15 * time.Second
	pollInterval = 50 * time.Millisecond
)

// Secret claims a bucket of a class, asks for access to it, and returns the
// contents of the Secret of that.
func (e *Emulator) Secret(ctx context.Context, class, name string) (secret.Secret, error) {
	if err := e.createClaim(ctx, class, name); err != nil {
		return nil, err
	}
	if err := e.createAccess(ctx, class, name); err != nil {
		return nil, err
	}
	for _, kind := range []schema.GroupVersionResource{claims, accesses} {
		if err := e.waitReady(ctx, kind, name); err != nil {
			return nil, err
		}
	}
	o, err := e.api.Resource(secrets).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get Secret %s: %w", name, err)
	}
	return decode(o)
}

func (e *Emulator) waitReady(ctx context.Context, kind schema.GroupVersionResource, name string) error {
	var last *unstructured.Unstructured
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		o, err := e.api.Resource(kind).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = o
		ready, _, _ := unstructured.NestedBool(o.Object, "status", "readyToUse")
		return ready, nil
	})
	if err != nil {
		return fmt.Errorf("%s %s is not ready: %w; %s", kind.Resource, name, err, messages(last))
	}
	return nil
}

// messages returns what the conditions of an object say.
func messages(o *unstructured.Unstructured) string {
	if o == nil {
		return "it cannot be read"
	}
	var said []string
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok {
			said = append(said, fmt.Sprintf("%v=%v: %v", condition["type"], condition["status"], condition["message"]))
		}
	}
	return strings.Join(said, "; ")
}

func decode(o *unstructured.Unstructured) (secret.Secret, error) {
	data, _, err := unstructured.NestedStringMap(o.Object, "data")
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", o.GetName(), err)
	}
	decoded := secret.Secret{}
	for key, value := range data {
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, fmt.Errorf("key %s of Secret %s: %w", key, o.GetName(), err)
		}
		decoded[key] = string(text)
	}
	return decoded, nil
}
