package bucketaccess

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secret"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// grant is phase 2: the driver grants the account access, and its answer is written into the
// Secrets. It is repeated when a Secret was edited or deleted; the call is idempotent.
func (a *attempt) grant(ctx context.Context) error {
	var granted *driver.Grant
	var contents map[string]map[string][]byte
	err := a.rejections.Once(a.driver.Conn, a.Object, inputs(a.Object), func() (err error) {
		granted, contents, err = a.callGrant(ctx)
		return err
	})
	if err != nil {
		return err
	}
	left := make(map[string]secretstore.Version, len(contents))
	for i := range a.Object.Spec.BucketClaims {
		claim := &a.Object.Spec.BucketClaims[i]
		reserved := a.reserved[claim.AccessSecretName]
		filled, err := a.fill(ctx, reserved, claim, contents[claim.BucketClaimName])
		if err != nil {
			return err
		}
		left[claim.AccessSecretName] = secretstore.VersionOf(filled)
	}
	a.versions.Set(a.Object, left)
	a.planRenewal(granted.Credentials)
	statusOf(a.Object).Succeed(fmt.Sprintf("driver %s has granted access to %d bucket(s)", a.driver.Name(), len(left)))
	return nil
}

// callGrant returns the driver's answer, and the data of all Secrets that it makes, by the names of the claims.
func (a *attempt) callGrant(ctx context.Context) (granted *driver.Grant, contents map[string]map[string][]byte, err error) {
	err = a.line.Call(a.Object, func() (err error) {
		// The cache may not show yet that the access is being deleted, that another replica has
		// revoked it, or that a Bucket is being deleted.
		if err := cosireconcile.ConfirmCurrent(ctx, a.live, a.Object); err != nil {
			return err
		}
		if err := a.confirmBuckets(ctx); err != nil {
			return err
		}
		granted, err = a.driver.GrantBucketAccess(ctx, a.Object)
		return connection.ReasonFor(err)
	}, bucketIDs(a.Object)...)
	if err != nil {
		return nil, nil, err
	}
	contents, err = a.render(granted)
	if err != nil {
		return nil, nil, connection.InvalidResponse("%v", err)
	}
	return granted, contents, nil
}

// render makes the data of all Secrets before one of them is written, by the names of the claims.
func (a *attempt) render(granted *driver.Grant) (map[string]map[string][]byte, error) {
	access := a.Object
	contents := make(map[string]map[string][]byte, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		data, err := secret.Access{
			Protocol:             access.Spec.Protocol,
			Authentication:       access.Status.AuthenticationType,
			Info:                 granted.Buckets[accessed.BucketID],
			Credentials:          granted.Credentials,
			CertificateAuthority: a.options.CertificateAuthority,
			Keys:                 a.options.SecretKeys,
		}.Data()
		if err != nil {
			return nil, fmt.Errorf("access to Bucket %q: %w", accessed.BucketName, err)
		}
		contents[accessed.BucketClaimName] = data
	}
	return contents, nil
}

// fill replaces the data of a Secret as a whole, so that a key that the driver does not return any
// more is removed. It writes only on change.
func (a *attempt) fill(
	ctx context.Context, stored *corev1.Secret, claim *v1alpha2.BucketClaimAccess, data map[string][]byte,
) (*corev1.Secret, error) {
	filled := stored.DeepCopy()
	filled.Data = data
	if err := a.decorate(filled, claim); err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(stored, filled) {
		return filled, nil
	}
	return filled, a.secrets.Update(ctx, filled)
}
