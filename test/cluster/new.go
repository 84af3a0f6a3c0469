package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// admins are the administrators of the shared control planes, by version. They connect
// once, so that their connections are not taken for leaks.
var admins struct {
	mu sync.Mutex
	of map[objectstorage.Version]client.Client
}

// New returns the control plane that the tests of this binary share for a version, with a
// namespace of the test's own, and the rights of deploy/rbac; empty means v1alpha2. When the
// test ends, nothing of its components may be left. A control plane of the test's own is in
// package controlplanetest.
func New(tb testing.TB, version objectstorage.Version) *Cluster {
	tb.Helper()
	plane := controlplanetest.StartVersion(tb, version)
	admin, err := connectAdmin(version)
	if err != nil {
		tb.Fatalf("connect to the control plane of the tests: %v", err)
	}
	requests := &Requests{}
	c := &Cluster{
		TB: tb, Client: admin, Namespace: controlplanetest.NamespaceIn(tb, plane),
		Requests: requests, plane: plane, machines: &[]*Requests{requests},
	}
	ignored := goleak.IgnoreCurrent()
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("writes of the component: %v", requests.Writes())
			return
		}
		c.expectEnded(ignored)
	})
	return c
}

// expectEnded expects that no goroutine is left but those that are ignored.
func (c *Cluster) expectEnded(ignored goleak.Option) {
	c.Helper()
	harness.Eventually(c, "no goroutine is left", func(context.Context) error {
		for _, requests := range *c.machines {
			requests.CloseIdle() // once the last request has ended
		}
		return leaks.Find(ignored)
	})
}

func connectAdmin(version objectstorage.Version) (client.Client, error) {
	admins.mu.Lock()
	defer admins.mu.Unlock()
	version = cmp.Or(version, objectstorage.V1alpha2)
	if admin, connected := admins.of[version]; connected {
		return admin, nil
	}
	log.SetLogger(logr.Discard()) // or controller-runtime complains; the components have their own
	plane, err := controlplanetest.Shared(version)
	if err != nil {
		return nil, err
	}
	admin, err := Connect(plane.AdminConfig())
	if err != nil {
		return nil, err
	}
	rights := deploy.RBAC
	if version == objectstorage.V1alpha1 {
		rights = deploy.RBACV1alpha1
	}
	manifests, err := rights()
	for _, manifest := range manifests {
		err = errors.Join(err, install(context.Background(), admin, manifest))
	}
	if err != nil {
		return nil, err
	}
	if admins.of == nil {
		admins.of = map[objectstorage.Version]client.Client{}
	}
	admins.of[version] = admin
	return admin, nil
}

// install creates the objects of a manifest that do not exist yet.
func install(ctx context.Context, c client.Client, manifest deploy.Manifest) error {
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest.Data), 4096)
	for {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", manifest.Name, err)
		}
		if err := client.IgnoreAlreadyExists(c.Create(ctx, object)); err != nil {
			return fmt.Errorf("%s: create %s %s: %w", manifest.Name, object.GetKind(), object.GetName(), err)
		}
	}
}
