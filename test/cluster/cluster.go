package cluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Cluster is an API server as one test uses it: a client, usually the
// administrator's, and the test's own namespace.
type Cluster struct {
	testing.TB
	client.Client

	Namespace string
	// Requests records the requests of the components that have a Config. Only New sets it.
	Requests *Requests

	plane    controlplane.ControlPlane
	machines *[]*Requests // of all components of the test
}

// Connect returns a client that knows the kinds of Kubernetes and COSI and has
// no rate limit.
func Connect(cfg *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	return client.New(cfg, client.Options{Scheme: scheme})
}

// Must fails the test on an error.
func (c *Cluster) Must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// Eventually calls check until it returns nil. The error names the missing condition.
func (c *Cluster) Eventually(check func() error) {
	c.Helper()
	c.eventually("the API server and the components", check)
}

func (c *Cluster) eventually(what string, check func() error) {
	c.Helper()
	harness.Eventually(c.TB, what, func(context.Context) error { return check() })
}

// Make creates objects in their order.
func (c *Cluster) Make(objects ...client.Object) {
	c.Helper()
	for _, object := range objects {
		c.Must(c.Create(c.Context(), object))
	}
}

// Remove deletes objects in their order. Objects that do not exist are ignored.
func (c *Cluster) Remove(objects ...client.Object) {
	c.Helper()
	for _, object := range objects {
		c.Must(client.IgnoreNotFound(c.Delete(c.Context(), object)))
	}
}

// Refresh reads an object again. Fields that it does not have any more are emptied. An
// object that cannot be read stays as it is.
func (c *Cluster) Refresh(object client.Object) error {
	value := reflect.ValueOf(object).Elem()
	read, ok := reflect.TypeAssert[client.Object](reflect.New(value.Type()))
	if !ok {
		return fmt.Errorf("%T is no object", object)
	}
	read.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	if err := c.Get(context.WithoutCancel(c.Context()), client.ObjectKeyFromObject(object), read); err != nil {
		return err
	}
	value.Set(reflect.ValueOf(read).Elem())
	return nil
}

// Await waits until an object, as the API server has it, satisfies the check, and returns it.
func Await[T client.Object](c *Cluster, object T, what string, check func(T) error) T {
	c.Helper()
	c.eventually(name(object)+" "+what, func() error {
		if err := c.Refresh(object); err != nil {
			return err
		}
		return check(object)
	})
	return object
}

// Settle waits until the components have sent no request for a while, and returns how
// often they have written.
func (c *Cluster) Settle() int {
	c.Helper()
	harness.Settle(c, "requests of the components", func() int { return len(c.Requests.All()) })
	return len(c.Requests.Writes())
}

// Modify updates an object, again after each conflict.
func (c *Cluster) Modify(object client.Object, change func()) {
	c.Helper()
	c.modify(object, change, func() error { return c.Update(c.Context(), object) })
}

// ModifyStatus updates the status of an object, again after each conflict.
func (c *Cluster) ModifyStatus(object client.Object, change func()) {
	c.Helper()
	c.modify(object, change, func() error { return c.Status().Update(c.Context(), object) })
}

func (c *Cluster) modify(object client.Object, change func(), update func() error) {
	c.Helper()
	c.eventually("update "+name(object), func() error {
		if err := c.Refresh(object); err != nil {
			return err
		}
		change()
		return update()
	})
}

// WaitReady waits until each BucketClaim, Bucket or BucketAccess is ready to use.
func (c *Cluster) WaitReady(objects ...client.Object) {
	c.Helper()
	for _, object := range objects {
		c.eventually(name(object)+" becomes ready", func() error {
			if err := c.Refresh(object); err != nil {
				return err
			}
			if ready, conditions := Status(object); !ready {
				return fmt.Errorf("not ready: %v", Lines(conditions))
			}
			return nil
		})
	}
}

// WaitGone waits until the objects do not exist any more.
func (c *Cluster) WaitGone(objects ...client.Object) {
	c.Helper()
	for _, object := range objects {
		c.eventually(name(object)+" is deleted", func() error { return c.Gone(object) })
	}
}

// Gone returns an error unless the object does not exist any more.
func (c *Cluster) Gone(object client.Object) error {
	err := c.Refresh(object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	_, conditions := Status(object)
	return errors.Join(err, fmt.Errorf("%s exists, with finalizers %v and conditions %v",
		name(object), object.GetFinalizers(), Lines(conditions)))
}

// WaitCondition waits until a condition of a BucketClaim, Bucket or BucketAccess
// has this status and reason, and returns its message.
func (c *Cluster) WaitCondition(object client.Object, conditionType string, status metav1.ConditionStatus, reason string) string {
	c.Helper()
	var message string
	c.eventually(fmt.Sprintf("%s: %s=%s (%s)", name(object), conditionType, status, reason), func() error {
		if err := c.Refresh(object); err != nil {
			return err
		}
		_, conditions := Status(object)
		found := meta.FindStatusCondition(conditions, conditionType)
		if found == nil || found.Status != status || found.Reason != reason {
			return fmt.Errorf("conditions: %v", Lines(conditions))
		}
		message = found.Message
		return nil
	})
	return message
}

// Secret returns the data of a Secret in the test's namespace.
func (c *Cluster) Secret(name string) map[string]string {
	c.Helper()
	secret := &corev1.Secret{}
	c.Must(c.Get(c.Context(), client.ObjectKey{Namespace: c.Namespace, Name: name}, secret))
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// EventReasons counts the Events about an object by reason.
func (c *Cluster) EventReasons(object client.Object) map[string]int {
	c.Helper()
	list := &eventsv1.EventList{}
	c.Must(c.List(c.Context(), list))
	reasons := map[string]int{}
	for _, event := range list.Items {
		if event.Regarding.UID == object.GetUID() {
			reasons[event.Reason]++
		}
	}
	return reasons
}

// Events returns the Events of an object as kubectl describe finds them, as
// "Warning: message" by reason. An Event that was recorded again has the reason with
// "again", too.
func (c *Cluster) Events(object client.Object) map[string]string {
	c.Helper()
	list := &corev1.EventList{}
	c.Must(c.List(c.Context(), list, client.InNamespace(object.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(object.GetUID()), "involvedObject.name": object.GetName()}))
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

// ForceRemove deletes an object and removes its finalizers, as a cleanup
// function does: the components may have stopped.
func (c *Cluster) ForceRemove(object client.Object) {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), harness.Timeout)
	defer cancel()
	err := client.IgnoreNotFound(c.Delete(ctx, object))
	if err == nil {
		strip := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		err = client.IgnoreNotFound(c.Patch(ctx, object, strip))
	}
	// The API server answers Invalid when the object is deleted meanwhile.
	if err != nil && !apierrors.IsInvalid(err) {
		c.Errorf("clean up: %v", err)
	}
}

// ForceRemoveAll does so with all objects of the kinds of the lists, so that the next
// test finds none.
func (c *Cluster) ForceRemoveAll(lists ...client.ObjectList) {
	c.Helper()
	for _, list := range lists {
		err := c.List(context.WithoutCancel(c.Context()), list)
		if err == nil {
			err = meta.EachListItem(list, func(item runtime.Object) error {
				if object, ok := item.(client.Object); ok {
					c.ForceRemove(object)
				}
				return nil
			})
		}
		if err != nil {
			c.Errorf("clean up: %v", err)
		}
	}
}

// Lines describes conditions, one a line.
func Lines(conditions []metav1.Condition) []string {
	var lines []string
	for _, c := range conditions {
		lines = append(lines, fmt.Sprintf("%s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message))
	}
	return lines
}

// Conditions returns the conditions of a BucketClaim, Bucket or BucketAccess.
func Conditions(object client.Object) []metav1.Condition {
	_, conditions := Status(object)
	return conditions
}

func name(object client.Object) string {
	return fmt.Sprintf("%T %s", object, client.ObjectKeyFromObject(object))
}

// Status returns whether a BucketClaim, Bucket or BucketAccess is ready to use, and
// its conditions.
func Status(object client.Object) (ready bool, conditions []metav1.Condition) {
	switch o := object.(type) {
	case *v1alpha2.Bucket:
		return o.Status.ReadyToUse, o.Status.Conditions
	case *v1alpha2.BucketClaim:
		return o.Status.ReadyToUse, o.Status.Conditions
	case *v1alpha2.BucketAccess:
		return o.Status.ReadyToUse, o.Status.Conditions
	default:
		return false, nil
	}
}
