package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// settlement ends the walk of an access that is granted and whose Secrets are as
// they were left. It makes no call in the normal case.
type settlement struct {
	memory *memory
	cached client.Reader
	live   client.Reader
}

func (s *settlement) Walk(ctx context.Context, access *subject) (bool, error) {
	if !provisioned(access.Object) {
		return true, nil
	}
	for i := range access.Object.Spec.BucketClaims {
		settled, err := s.isSettled(ctx, access, access.Object.Spec.BucketClaims[i].AccessSecretName)
		if err != nil || !settled {
			return err == nil, err
		}
	}
	return false, nil
}

// isSettled asks the API server if the cache disagrees with what is remembered:
// the cache may be behind the reconciler's own latest write.
func (s *settlement) isSettled(ctx context.Context, access *subject, name string) (bool, error) {
	left, known := s.memory.recall(access.Object, name)
	if !known {
		return false, nil
	}
	for _, reader := range []client.Reader{s.cached, s.live} {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := reader.Get(ctx, client.ObjectKey{Namespace: access.Object.Namespace, Name: name}, secret)
		if client.IgnoreNotFound(err) != nil {
			return false, err
		}
		if err == nil && versionOf(secret) == left {
			return true, nil
		}
	}
	return false, nil
}
