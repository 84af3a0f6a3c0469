package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// reader is a client that crosses a seam with faults.
func reader(t *testing.T) (client.WithWatch, *fault.Set, *journal.Journal) {
	t.Helper()
	plane := controlplanetest.Start(t)
	j, set := journal.New(journal.Options{}), fault.NewSet()
	i := seam.NewIncarnation(j, "reader", 1)
	t.Cleanup(i.Fence)
	i.Inject(set, seam.Hooks{Tombstones: seam.NewTombstones()})
	scheme, err := emulator.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(i.RESTConfig(plane.AdminConfig()), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c, set, j
}

// TestStaleRights: a component that may get an object, and list none, reads its past. One that may not read it
// does not.
func TestStaleRights(t *testing.T) {
	t.Parallel()
	const rights = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: cosi-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: cosi-system}]
`
	configs := make(chan *rest.Config, 1)
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true, Implementations: emulator.Implementations{
		ControllerRBAC: []byte(rights),
		Controller: func(cfg *rest.Config, _ logr.Logger) (emulator.Runner, error) {
			configs <- cfg
			return harness.Inactive{}, nil
		},
	}})
	component, err := client.New(harness.Receive(t, "the controller's configuration", configs), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	namespace := emulatortest.NamespaceIn(t, emu)
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m"}}
	for _, object := range []client.Object{config, secret} {
		if err := emu.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		object.SetLabels(map[string]string{"version": "2"})
		if err := emu.Client().Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	f := fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamAPI}, Effect: fault.Effect{Stale: 1}}
	if err := emu.Faults().Add(f); err != nil {
		t.Fatal(err)
	}
	if got := versionOf(t, component, config); got != "" {
		t.Errorf("the component gets version %q, want the one before", got)
	}
	if err := component.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); !apierrors.IsForbidden(err) {
		t.Errorf("the component gets a Secret that it may not read: %v", err)
	}
}

func TestStale(t *testing.T) {
	c, set, _ := reader(t)
	namespace := emulatortest.Namespace(t)
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "c"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "none", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m"}}
	for _, object := range []client.Object{claim, config} {
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"2", "3"} {
			object.SetLabels(map[string]string{"version": version})
			if err := c.Update(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	metadata := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m"}}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	for changes, want := range []string{"3", "2", "", "gone"} {
		set.Clear()
		if changes > 0 {
			if err := set.Add(fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamAPI}, Effect: fault.Effect{Stale: changes}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, object := range []client.Object{claim, config, metadata} {
			if got := versionOf(t, c, object); got != want {
				t.Errorf("%T of %d changes ago: version %q, want %q", object, changes, got, want)
			}
		}
		if got := listed(t, c, namespace); !slices.Equal(got, map[bool][]string{true: {want}}[want != "gone"]) {
			t.Errorf("list of %d changes ago: versions %q, want %q", changes, got, want)
		}
	}
}

// TestStaleDeleted reads deleted objects: one that lived twice, and a list in which it was not
// alone.
func TestStaleDeleted(t *testing.T) {
	c, set, j := reader(t)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: emulatortest.Namespace(t), Name: "m"}}
	liveTwice(t, c, object)
	for changes, want := range []struct{ get, list string }{
		{"gone", "other-1 other-2"}, {"2", "m other-1 other-2"}, {"gone", "m other-1"}, {"1", "other-1"}, {"gone", "m other-1"}, {"gone", "m"},
	} {
		set.Clear()
		for _, operation := range []string{"get configmaps", "list configmaps"} {
			if changes > 0 {
				addStale(t, set, operation, changes)
			}
		}
		if got := versionOf(t, c, object); got != want.get {
			t.Errorf("%d changes ago it was version %q, want %q", changes, got, want.get)
		}
		if got := configs(t, c, object.Namespace); got != want.list {
			t.Errorf("%d changes ago there were %q, want %q", changes, got, want.list)
		}
	}
	var affected []string
	for _, e := range j.Since(0) {
		if e.Fault != "" {
			affected = append(affected, e.Operation.Name+" of "+e.Fault)
		}
	}
	want := slices.Repeat([]string{"get configmaps of get configmaps", "list configmaps of list configmaps"}, 5)
	if !slices.Equal(affected, want) {
		t.Errorf("operations that a fault affected: %q, want %q", affected, want)
	}
}

// liveTwice creates and deletes an object twice, beside others, and returns when the
// news of it has come.
func liveTwice(t *testing.T, c client.WithWatch, object *corev1.ConfigMap) {
	t.Helper()
	news, err := c.Watch(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(object.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer news.Stop()
	for _, version := range []string{"1", "2"} {
		object.ResourceVersion, object.Labels = "", map[string]string{"version": version}
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		createConfig(t, c, object.Namespace, "other-"+version)
		if err := c.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	for deaths := 0; deaths < 2; {
		if event := <-news.ResultChan(); event.Type == watch.Deleted {
			deaths++
		}
	}
}

func addStale(t *testing.T, set *fault.Set, operation string, changes int) {
	t.Helper()
	f := fault.Fault{Name: operation, Match: fault.Match{Seam: journal.SeamAPI, Operation: operation}, Effect: fault.Effect{Stale: changes}}
	if err := set.Add(f); err != nil {
		t.Fatal(err)
	}
}

// configs lists the names of ConfigMaps.
func configs(t *testing.T, c client.Client, namespace string) string {
	t.Helper()
	var all corev1.ConfigMapList
	if err := c.List(t.Context(), &all, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all.Items {
		names = append(names, m.Name)
	}
	return strings.Join(names, " ")
}

// versionOf reads an object, and returns its label, or "gone".
func versionOf(t *testing.T, c client.Client, object client.Object) string {
	t.Helper()
	key := client.ObjectKeyFromObject(object)
	err := c.Get(t.Context(), key, object)
	object.SetNamespace(key.Namespace)
	object.SetName(key.Name)
	if apierrors.IsNotFound(err) {
		return "gone"
	}
	if err != nil {
		t.Fatal(err)
	}
	return object.GetLabels()["version"]
}

func listed(t *testing.T, c client.Client, namespace string) []string {
	t.Helper()
	var claims v1alpha2.BucketClaimList
	if err := c.List(t.Context(), &claims, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, claim := range claims.Items {
		versions = append(versions, claim.Labels["version"])
	}
	return versions
}

// TestFreeze has a component see the world as it was when the fault was added, in
// its watches and in its lists, until the fault is removed.
func TestFreeze(t *testing.T) {
	c, set, j := reader(t)
	namespace := emulatortest.Namespace(t)
	createConfig(t, c, namespace, "old")
	frost := fault.Fault{
		Name: "f", Match: fault.Match{Seam: journal.SeamAPI, Operation: "*configmaps"}, Effect: fault.Effect{Freeze: true},
	}
	if err := set.Add(frost); err != nil {
		t.Fatal(err)
	}
	var begin corev1.ConfigMapList
	if err := c.List(t.Context(), &begin, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	w := watchConfigs(t, c, namespace, begin.ResourceVersion)
	createConfig(t, c, namespace, "new")
	waitApplied(t, set, 3) // the list, the watch, and the event that is held back
	if hasNew(t, c, namespace) {
		t.Error("a list has what is new to a frozen world")
	}
	set.Clear()
	for event := range w.ResultChan() {
		if m, ok := event.Object.(*corev1.ConfigMap); ok && m.Name == "new" {
			break
		}
	}
	if !hasNew(t, c, namespace) {
		t.Error("a list has nothing new after the frost")
	}
	if got := j.Since(0); !slices.ContainsFunc(got, func(e journal.Event) bool { return e.Fault == "f" && e.Outcome == "Frozen" }) {
		t.Errorf("the journal has no event that was held back: %v", got)
	}
}

// TestAsOf has a component list the past, in which an object is not there yet, and then see the events since then.
func TestAsOf(t *testing.T) {
	c, set, _ := reader(t)
	namespace := emulatortest.Namespace(t)
	createConfig(t, c, namespace, "old")
	early := fault.Match{Seam: journal.SeamAPI, Operation: "get configmaps", Nth: 1}
	restarted := fault.Match{Seam: journal.SeamAPI, Operation: "*configmaps", Since: "restart"}
	if err := errors.Join(
		set.Add(fault.Fault{Name: "early", Match: early, Effect: fault.Effect{Delay: 1}}),
		c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "old"}, &corev1.ConfigMap{}),
		set.Add(fault.Fault{Name: "past", Match: restarted, Effect: fault.Effect{Lag: true, AsOf: "early"}}),
		set.Remove("early"), // its moment stays known
	); err != nil {
		t.Fatal(err)
	}
	createConfig(t, c, namespace, "new")
	if !hasNew(t, c, namespace) {
		t.Error("a list before the restart has nothing new")
	}
	set.Mark("restart")
	var begin corev1.ConfigMapList
	for _, list := range []string{"first", "second, after a failed watch,"} {
		if err := c.List(t.Context(), &begin, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		if names := namesOf(begin.Items); slices.Contains(names, "new") || !slices.Contains(names, "old") {
			t.Errorf("the %s list of the past has %v, want old, and not new", list, names)
		}
	}
	w := watchConfigs(t, c, namespace, begin.ResourceVersion)
	createConfig(t, c, namespace, "newest")
	if diff := cmp.Diff([]string{"new", "newest"}, toldUntil(w, "newest")); diff != "" {
		t.Errorf("events since then: -want, +got:\n%s", diff)
	}
	if !hasNew(t, c, namespace) {
		t.Error("a list has nothing new after the events")
	}
}

// toldUntil returns the names in watch events until one has the last name.
func toldUntil(w watch.Interface, last string) (names []string) {
	for event := range w.ResultChan() {
		if m, ok := event.Object.(*corev1.ConfigMap); ok {
			names = append(names, m.Name)
		}
		if slices.Contains(names, last) {
			break
		}
	}
	return names
}

func namesOf(configs []corev1.ConfigMap) (names []string) {
	for _, m := range configs {
		names = append(names, m.Name)
	}
	return names
}

// watchConfigs watches from a version on, until the test ends.
func watchConfigs(t *testing.T, c client.WithWatch, namespace, version string) watch.Interface {
	t.Helper()
	w, err := c.Watch(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(namespace), &client.ListOptions{
		Raw: &metav1.ListOptions{ResourceVersion: version},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

func createConfig(t *testing.T, c client.Client, namespace, name string) {
	t.Helper()
	if err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// hasNew reports whether a list has the new object.
func hasNew(t *testing.T, c client.Client, namespace string) bool {
	t.Helper()
	var now corev1.ConfigMapList
	if err := c.List(t.Context(), &now, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(now.Items, func(m corev1.ConfigMap) bool { return m.Name == "new" })
}

func waitApplied(t *testing.T, set *fault.Set, times int) {
	t.Helper()
	harness.Eventually(t, "the fault is applied", func(context.Context) error {
		if got := set.List()[0].Applied; got < times {
			return fmt.Errorf("applied %d times, want %d", got, times)
		}
		return nil
	})
}
