package bucketaccess

import (
	"context"

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
// the cache may be behind the reconciler's own latest write. If it is not, then the
// answer of the API server is out of date, and the access is to be looked at again:
// the watch has told already of what it does not show.
func (s *settlement) isSettled(ctx context.Context, access *subject, name string) (bool, error) {
	left, known := s.memory.recall(access.Object, name)
	if !known {
		return false, nil
	}
	key := client.ObjectKey{Namespace: access.Object.Namespace, Name: name}
	cached, err := read(ctx, s.cached, key)
	if err != nil || cached == left {
		return err == nil, err
	}
	live, err := read(ctx, s.live, key)
	if err != nil || live != left {
		return false, err
	}
	access.again = access.again || !cached.before(left)
	return true, nil
}

// read returns the version of a Secret, or none if there is no Secret.
func read(ctx context.Context, from client.Reader, key client.ObjectKey) (version, error) {
	secret := SecretMetadata()
	if err := from.Get(ctx, key, secret); err != nil {
		return version{}, client.IgnoreNotFound(err)
	}
	return versionOf(secret), nil
}
