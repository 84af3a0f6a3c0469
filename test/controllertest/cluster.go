package controllertest

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// NewAdmin connects to a cluster as its administrator, and installs the controller's rights,
// which the manifest has.
func NewAdmin(cfg *rest.Config, manifest string) (client.Client, error) {
	log.SetLogger(logr.Discard()) // or controller-runtime complains; the tests' controllers have their own
	admin, err := cluster.Connect(cfg)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cosi-system"}}
	if err := client.IgnoreAlreadyExists(admin.Create(ctx, namespace)); err != nil {
		return nil, err
	}
	return admin, cluster.Install(ctx, admin, manifest)
}

// RemoveAll removes all objects of the kinds of the lists, without asking the controller, so
// that the next test finds an empty cluster.
func RemoveAll(tb testing.TB, c client.Client, lists ...client.ObjectList) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
	defer cancel()
	for _, list := range lists {
		err := c.List(ctx, list)
		if err == nil {
			err = meta.EachListItem(list, func(item runtime.Object) error {
				object, ok := item.(client.Object)
				if !ok {
					return nil
				}
				return RemoveByForce(ctx, c, object)
			})
		}
		if err != nil {
			tb.Errorf("clean up: %v", err)
		}
	}
}

// RemoveByForce deletes an object whatever protects it.
func RemoveByForce(ctx context.Context, c client.Client, object client.Object) error {
	if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
		return err
	}
	strip := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	err := c.Patch(ctx, object, strip)
	if apierrors.IsInvalid(err) { // the API server's word for an object that has just gone
		return nil
	}
	return client.IgnoreNotFound(err)
}

// Events returns the Events of an object as kubectl describe finds them, by reason. An Event
// that was recorded again has the reason with "again", too.
func Events(ctx context.Context, tb testing.TB, c client.Client, object client.Object) map[string]string {
	tb.Helper()
	list := &corev1.EventList{}
	err := c.List(ctx, list, client.InNamespace(object.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(object.GetUID()), "involvedObject.name": object.GetName()})
	if err != nil {
		tb.Fatal(err)
	}
	found := map[string]string{}
	for i := range list.Items {
		e := &list.Items[i]
		if _, twice := found[e.Reason]; twice || e.Count > 1 || e.Series != nil {
			found[e.Reason+" again"] = e.Message
			continue
		}
		found[e.Reason] = e.Type + ": " + e.Message
	}
	return found
}
