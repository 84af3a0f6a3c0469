package emulator_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// unused returns the rights that the story below does not need, each with what
// does.
func unused() map[string]string {
	const (
		lists  = "an API server that cannot stream a list, before Kubernetes 1.32"
		series = "an Event like an earlier one about the same object, which then counts them"
		owners = "the admission plugin OwnerReferencesPermissionEnforcement"
		behind = "a cache that does not catch up with a write"
		stores = "the IDs of a driver behind the bridge of 'cosi-emu sidecar'"
	)
	return map[string]string{
		"controller: get bucketaccesses.objectstorage.k8s.io":            behind,
		"controller: list bucketaccessclasses.objectstorage.k8s.io":      lists,
		"controller: list bucketclaims.objectstorage.k8s.io":             lists,
		"controller: list bucketclasses.objectstorage.k8s.io":            lists,
		"controller: list buckets.objectstorage.k8s.io":                  lists,
		"controller: patch events.events.k8s.io":                         series,
		"sidecar: create configmaps.":                                    stores,
		"sidecar: delete configmaps.":                                    stores,
		"sidecar: get configmaps.":                                       stores,
		"sidecar: list configmaps.":                                      stores,
		"sidecar: update configmaps.":                                    stores,
		"sidecar: list bucketaccesses.objectstorage.k8s.io":              lists,
		"sidecar: list buckets.objectstorage.k8s.io":                     lists,
		"sidecar: list leases.coordination.k8s.io":                       lists,
		"sidecar: list secrets.":                                         lists,
		"sidecar: patch events.events.k8s.io":                            series,
		"sidecar: update bucketaccesses/finalizers.objectstorage.k8s.io": owners,
	}
}

// TestE90EveryRightIsUsed has controller and sidecar do all that they do, as the
// ServiceAccounts of deploy/ and with elections. They need every right that they
// have, and no other.
// KEP: RBAC-6
func TestE90EveryRightIsUsed(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{Cluster: sharedCluster(t), Install: true})
	s := newStory(t, emu)
	s.electAgain(emulator.ComponentController, cosicontroller.LeaseName)
	s.electAgain(emulator.ComponentSidecar, cosisidecar.LeaseName(emu.Info().DriverName))
	s.live()

	granted, used := rights(t), map[string]bool{}
	for _, event := range emu.Journal().Since(0) {
		if event.Seam != journal.SeamAPI {
			continue
		}
		// An Event may come too late for its namespace, which is no matter of rights.
		if event.Outcome == string(metav1.StatusReasonForbidden) && !strings.Contains(event.Message, "is being terminated") {
			t.Errorf("rejected: %s", event)
		}
		if verb, resource, ok := strings.Cut(event.Operation.Name, " "); ok && !strings.HasPrefix(resource, "/") {
			used[event.Component+": "+verb+" "+resource+"."+groupOf(t, event, resource)] = true
		}
	}
	for right, reason := range unused() {
		if !granted[right] {
			t.Errorf("%q, for %s, is not granted", right, reason)
		}
		used[right] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(granted)), slices.Sorted(maps.Keys(used))); diff != "" {
		t.Errorf("-granted, +used:\n%s", diff)
	}
}

// sharedCluster is the shared control plane as an existing cluster.
func sharedCluster(t *testing.T) *emulator.ExistingCluster {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, controlplanetest.Start(t).Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	return &emulator.ExistingCluster{Kubeconfig: kubeconfig, Owner: "rights"}
}

// electAgain has a component make its Lease.
func (s *story) electAgain(name, lease string) {
	s.t.Helper()
	component := s.emu.Component(name)
	if err := component.Stop(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.delete(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: deploy.Namespace, Name: lease}})
	if err := component.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// live is all that can happen to a claim and an access.
func (s *story) live() {
	s.t.Helper()
	s.create(s.access) // there is no claim
	s.create(s.claim)
	s.waitReady()

	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.access.Namespace, Name: "photos-credentials"}}
	key := client.ObjectKeyFromObject(secret)
	if err := s.emu.Client().Get(s.t.Context(), key, secret); err != nil {
		s.t.Fatal(err)
	}
	secret.Data = map[string][]byte{"corrupted": []byte("yes")}
	if err := s.emu.Client().Update(s.t.Context(), secret); err != nil {
		s.t.Fatal(err)
	}
	harness.Until(s.t, "the Secret is mended", func(ctx context.Context) (bool, error) {
		err := s.emu.Client().Get(ctx, key, secret)
		return err == nil && secret.Data["corrupted"] == nil, client.IgnoreNotFound(err)
	})
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()
}

// groupOf returns the API group of a request's resource. Of all kinds that the components use only
// Events are in two groups.
func groupOf(t *testing.T, event journal.Event, resource string) string {
	t.Helper()
	if resource == "events" && event.Request != nil {
		var object metav1.TypeMeta
		if err := json.Unmarshal(event.Request, &object); err != nil {
			t.Fatal(err)
		}
		return object.GroupVersionKind().Group
	}
	switch strings.Split(resource, "/")[0] {
	case "events":
		return "events.k8s.io"
	case "secrets":
		return ""
	case "leases":
		return "coordination.k8s.io"
	default:
		return "objectstorage.k8s.io"
	}
}

// rights are all rules of the components in deploy/rbac, as "component: verb resource.group".
func rights(t *testing.T) map[string]bool {
	t.Helper()
	files, err := deploy.RBAC()
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]bool{}
	for _, file := range files {
		if file.Name == "rbac/users.yaml" {
			continue // not of the components
		}
		objects, err := manifest.Decode(file.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range objects {
			var role rbacv1.ClusterRole // a Role has the same rules
			if !strings.HasSuffix(object.GetKind(), "Role") {
				continue
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
				t.Fatal(err)
			}
			component, _, _ := strings.Cut(strings.TrimPrefix(role.Name, "cosi-"), "-")
			for _, rule := range role.Rules {
				addRule(rights, component, rule)
			}
		}
	}
	return rights
}

func addRule(rights map[string]bool, component string, rule rbacv1.PolicyRule) {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights[component+": "+verb+" "+resource+"."+group] = true
			}
		}
	}
}
