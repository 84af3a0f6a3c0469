package access

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// watchAgain is the delay before another watch, after one that the API server has closed.
const watchAgain = time.Second

// Reader reads with the rights of one Pod.
type Reader struct {
	client  client.WithWatch
	version objectstorage.Version
}

// NewReader returns a reader with the ServiceAccount token of a Pod. Of the configuration it takes only address and
// certificate authority.
func NewReader(cfg *rest.Config, token string, version objectstorage.Version) (*Reader, error) {
	own := rest.AnonymousClientConfig(cfg)
	own.BearerToken = token
	own.QPS = -1 // the kubelet limits the calls
	own.WrapTransport = cfg.WrapTransport
	c, err := newClient(own, version)
	if err != nil {
		return nil, err
	}
	return &Reader{client: c, version: version}, nil
}

// Get returns the access as it is now.
func (r *Reader) Get(ctx context.Context, key client.ObjectKey) (*Access, error) {
	object, _ := NewObject(r.version)
	if err := r.client.Get(ctx, key, object); err != nil {
		return nil, explain("get", kind+" "+key.String(), err)
	}
	return describe(object), nil
}

// Secret returns a Secret.
func (r *Reader) Secret(ctx context.Context, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := r.client.Get(ctx, key, secret); err != nil {
		return nil, explain("get", "Secret "+key.String(), err)
	}
	return secret, nil
}

// WaitReady returns the access once it is ready, or a NotReadyError if it is being deleted, or when ctx ends.
func (r *Reader) WaitReady(ctx context.Context, key client.ObjectKey) (*Access, error) {
	last := "the API server has not answered in time"
	for {
		access, err := r.Get(ctx, key)
		if err == nil && !isDecided(access) {
			last = access.Obstacle
			access, err = r.watch(ctx, access)
		}
		switch {
		case access != nil && access.Ready:
			return access, nil
		case access != nil:
			last = access.Obstacle
		}
		switch {
		case ctx.Err() != nil, access != nil && access.IsDeleting():
			return nil, &NotReadyError{Key: key, Obstacle: last}
		case err != nil:
			return nil, err
		}
		sleep(ctx, watchAgain)
	}
}

func isDecided(access *Access) bool { return access.Ready || access.IsDeleting() }

// watch returns the access as the watch has shown it last: decided, or when the watch or ctx has ended.
func (r *Reader) watch(ctx context.Context, access *Access) (*Access, error) {
	key := client.ObjectKeyFromObject(access.Object)
	_, list := NewObject(r.version)
	// Rights for one object by its name hold for a watch with this selector.
	w, err := r.client.Watch(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{metav1.ObjectNameField: key.Name},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: access.Object.GetResourceVersion()}})
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return access, nil // WaitReady reads it again
	}
	if err != nil {
		return access, explain("watch", kind+" "+key.String(), err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return access, nil
		case event, open := <-w.ResultChan():
			object, isObject := event.Object.(client.Object)
			if !open || event.Type == watch.Deleted || event.Type == watch.Error || !isObject {
				return access, nil
			}
			if access = describe(object); isDecided(access) {
				return access, nil
			}
		}
	}
}

func sleep(ctx context.Context, duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
