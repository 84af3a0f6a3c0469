// Package job is the controller of Jobs in place of kube-controller-manager's: it runs the Pods of a Job until they have
// ended, counts them, and reports the result in the conditions of the Job.
//
// It reads a Job and its Pods from the API server before each decision, so that it never acts on an old state. The
// finalizer of a Pod stays until its result is in the status of the Job: a Pod that is deleted too early is not run twice.
package job

import (
	"context"
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1client "k8s.io/client-go/kubernetes/typed/batch/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
)

// The pauses of kube-controller-manager before it replaces a Pod that has failed.
const (
	DefaultBackOff    = 10 * time.Second
	DefaultMaxBackOff = 10 * time.Minute
)

// Config configures a Controller.
type Config struct {
	Jobs   batchv1client.JobsGetter
	Pods   corev1client.PodsGetter
	Events record.EventRecorder
	// After has a Job processed again after a time.
	After func(key string, after time.Duration)
	// BackOff is the pause after the first failure. It doubles with each further one, up to MaxBackOff.
	BackOff, MaxBackOff time.Duration
}

// Controller runs Jobs. It is not safe for concurrent use.
type Controller struct {
	config   Config
	failures map[string]failures // of unfinished Jobs, by their keys
}

// New returns a controller.
func New(config Config) *Controller {
	return &Controller{config: config, failures: map[string]failures{}}
}

// KeyOfPod returns the key of the Job to process after a change of a Pod, or the empty text.
func KeyOfPod(pod metav1.Object) string {
	name := ownerOf(pod)
	if name == "" {
		return ""
	}
	return pod.GetNamespace() + "/" + name
}

// ownerOf returns the name of the Job of a Pod. A Pod whose Job has gone without it names it in a label.
func ownerOf(pod metav1.Object) string {
	switch owner := metav1.GetControllerOf(pod); {
	case owner != nil && owner.Kind == kindName && owner.APIVersion == batchv1.SchemeGroupVersion.String():
		return owner.Name
	case owner == nil && isTracked(pod):
		return pod.GetLabels()[batchv1.JobNameLabel]
	default:
		return ""
	}
}

const kindName = "Job"

// Process makes the next step of a Job: namespace/name is its key. An error has it processed again.
func (c *Controller) Process(ctx context.Context, key string) error {
	namespace, name, err := toolscache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	found, err := c.config.Jobs.Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		delete(c.failures, key)
		found, err = nil, nil
	}
	if err != nil {
		return err
	}
	list, err := c.config.Pods.Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	own, strangers := divide(list.Items, name, found)
	if err := c.release(ctx, strangers); err != nil || found == nil || isManagedByOthers(found) {
		return err
	}
	s := newState(c, key, found, own)
	if isFinished(found) {
		delete(c.failures, key)
		return errors.Join(c.release(ctx, own), s.expire(ctx))
	}
	return s.advance(ctx)
}

// divide returns the Pods of a Job, and those that had a Job of this name that does not exist any more.
func divide(pods []corev1.Pod, name string, job *batchv1.Job) (own, strangers []*corev1.Pod) {
	for i := range pods {
		pod := &pods[i]
		if ownerOf(pod) != name {
			continue
		}
		if owner := metav1.GetControllerOf(pod); owner != nil && job != nil && owner.UID == job.UID {
			own = append(own, pod)
		} else {
			strangers = append(strangers, pod)
		}
	}
	return own, strangers
}

func isManagedByOthers(job *batchv1.Job) bool {
	return job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != batchv1.JobControllerName
}

// expire deletes a finished Job after its time to live.
func (s *state) expire(ctx context.Context) error {
	ttl := s.job.Spec.TTLSecondsAfterFinished
	if ttl == nil || s.job.DeletionTimestamp != nil {
		return nil
	}
	end := finishedAt(s.job).Add(time.Duration(*ttl) * time.Second)
	if left := time.Until(end); left > 0 {
		s.controller.config.After(s.key, left)
		return nil
	}
	foreground := metav1.DeletePropagationForeground
	err := s.controller.config.Jobs.Jobs(s.job.Namespace).Delete(ctx, s.job.Name, metav1.DeleteOptions{
		PropagationPolicy: &foreground,
		Preconditions:     &metav1.Preconditions{UID: &s.job.UID, ResourceVersion: &s.job.ResourceVersion},
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
