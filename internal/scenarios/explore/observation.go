package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
)

// observe lists all COSI objects and classes, the Secrets of the namespace, and the contents of the
// backend.
func (w *sandbox) observe(ctx context.Context, name string) (oracle.Observation, error) {
	m := oracle.Observation{Name: name, After: w.emu.Journal().Mark()}
	var claims v1alpha2.BucketClaimList
	var buckets v1alpha2.BucketList
	var accesses v1alpha2.BucketAccessList
	var secrets corev1.SecretList
	var classes savedClasses
	for _, list := range []client.ObjectList{&claims, &buckets, &accesses, &secrets, &classes.buckets, &classes.accesses} {
		// A list from the watch cache is current in an idle sandbox, and takes a fiftieth
		// of the time.
		cached := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: "0"}}
		if list == client.ObjectList(&secrets) {
			cached.Namespace = sandboxNamespace
		}
		if err := w.emu.Client().List(ctx, list, cached); err != nil {
			return m, fmt.Errorf("observe the sandbox %s: %w", name, err)
		}
	}
	m.Objects.Claims, m.Objects.Buckets, m.Objects.Accesses = claims.Items, buckets.Items, accesses.Items
	m.Objects.BucketClasses = classes.buckets.Items
	for i := range classes.accesses.Items {
		m.Objects.AccessClasses = append(m.Objects.AccessClasses, classes.accesses.Items[i].Name)
	}
	for i := range secrets.Items {
		if s := &secrets.Items[i]; s.Annotations[v1alpha2.BucketAccessReferenceAnnotation] != "" {
			m.Objects.Secrets = append(m.Objects.Secrets, accessSecret(s))
		}
	}
	err := w.observeBackend(ctx, &m)
	w.bystander.hide(&m)
	m.Until = w.emu.Journal().Mark()
	return m, err
}

// observeBackend lists the contents of the backend if it is the store of the emulator.
func (w *sandbox) observeBackend(ctx context.Context, m *oracle.Observation) error {
	backend := w.emu.Store()
	if backend == nil {
		return nil
	}
	buckets, err := backend.Buckets(ctx)
	if err != nil {
		return fmt.Errorf("list the buckets of the store: %w", err)
	}
	accounts, err := backend.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("list the accounts of the store: %w", err)
	}
	m.Backend = &oracle.BackendState{Buckets: buckets, Accounts: accounts}
	for _, driver := range w.emu.Served() {
		m.Backend.Drivers = append(m.Backend.Drivers, driver)
	}
	return nil
}

func accessSecret(s *corev1.Secret) oracle.AccessSecret {
	_, access, _ := strings.Cut(s.Annotations[v1alpha2.BucketAccessReferenceAnnotation], "/")
	secret := oracle.AccessSecret{
		Namespace: s.Namespace, Name: s.Name, Access: access, Empty: len(s.Data) == 0,
		Deleting: s.DeletionTimestamp != nil, Finalizers: s.Finalizers,
	}
	if owner := metav1.GetControllerOf(s); owner != nil {
		secret.Owner = owner.UID
	}
	return secret
}

// isRunning reports whether every component is running.
func (w *sandbox) isRunning() bool {
	for _, c := range w.emu.Components() {
		if state, _ := c.State(); state != emulator.StateRunning {
			return false
		}
	}
	return true
}

// isEmpty reports whether a run left nothing behind.
func isEmpty(m oracle.Observation) bool {
	return !hasObjects(m) && (m.Backend == nil || len(m.Backend.Buckets)+len(accountsOf(m.Backend)) == 0)
}

// hasObjects reports whether a run left objects of Kubernetes behind.
func hasObjects(m oracle.Observation) bool {
	o := m.Objects
	return len(o.Claims)+len(o.Buckets)+len(o.Accesses)+len(o.Secrets) > 0
}

// accountsOf returns all accounts except those of administrators.
func accountsOf(t *oracle.BackendState) []fakedriver.Account {
	return slices.DeleteFunc(slices.Clone(t.Accounts), func(a fakedriver.Account) bool { return a.Admin })
}
