package flows_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const (
	patience = 10 * time.Second
	interval = 10 * time.Millisecond
)

// scene is what one test has of a world: a namespace, and names of its own for
// what has no namespace. Its client is the administrator's.
type scene struct {
	testing.TB
	client.Client
	*world

	namespace string
}

func (w *world) newScene(tb testing.TB) *scene {
	tb.Helper()
	// The namespace goes with the control plane. Deleting it here would keep
	// kube-controller-manager busy during the tests that follow.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "flow-"}}
	s := &scene{TB: tb, Client: w.emu.Client(), world: w}
	s.must(s.Create(tb.Context(), namespace))
	s.namespace = namespace.Name
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// make creates objects, in that order.
func (s *scene) make(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		s.must(s.Create(s.Context(), object))
	}
}

// remove deletes objects, in that order. Those that are gone already are none
// the worse for it.
func (s *scene) remove(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		s.must(client.IgnoreNotFound(s.Delete(s.Context(), object)))
	}
}

// refresh reads an object again.
func (s *scene) refresh(object client.Object) error {
	return s.Get(s.Context(), client.ObjectKeyFromObject(object), object)
}

// eventually waits until a check finds nothing to complain about.
func (s *scene) eventually(check func() error) {
	s.Helper()
	var last error
	err := wait.PollUntilContextTimeout(s.Context(), interval, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		s.Fatalf("gave up waiting: %v", last)
	}
}

// ready waits until claims, Buckets and accesses are ready.
func (s *scene) ready(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		s.eventually(func() error {
			if err := s.refresh(object); err != nil {
				return err
			}
			if ready, conditions := stateOf(object); !ready {
				return fmt.Errorf("%T %s is not ready: %v", object, object.GetName(), describe(conditions))
			}
			return nil
		})
	}
}

// gone waits until objects are gone.
func (s *scene) gone(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		s.eventually(func() error {
			if err := s.refresh(object); !apierrors.IsNotFound(err) {
				_, conditions := stateOf(object)
				return fmt.Errorf("%T %s is still there, with finalizers %v and conditions %v (%w)",
					object, object.GetName(), object.GetFinalizers(), describe(conditions), err)
			}
			return nil
		})
	}
}

// says waits until a condition of an object is what it should be, and returns
// its message.
func (s *scene) says(object client.Object, conditionType string, status metav1.ConditionStatus, reason string) string {
	s.Helper()
	var message string
	s.eventually(func() error {
		if err := s.refresh(object); err != nil {
			return err
		}
		_, conditions := stateOf(object)
		c := meta.FindStatusCondition(conditions, conditionType)
		if c == nil || c.Status != status || c.Reason != reason {
			return fmt.Errorf("%s does not say %s=%s (%s), but %v", object.GetName(), conditionType, status, reason, describe(conditions))
		}
		message = c.Message
		return nil
	})
	return message
}

func stateOf(object client.Object) (ready bool, conditions []metav1.Condition) {
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

func describe(conditions []metav1.Condition) []string {
	var lines []string
	for _, c := range conditions {
		lines = append(lines, fmt.Sprintf("%s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message))
	}
	return lines
}

// change updates an object, again as long as others are faster.
func (s *scene) change(object client.Object, change func()) {
	s.Helper()
	s.eventually(func() error {
		if err := s.refresh(object); err != nil {
			return err
		}
		change()
		return s.Update(s.Context(), object)
	})
}
