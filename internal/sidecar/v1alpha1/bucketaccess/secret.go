package bucketaccess

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
)

// checkUpToDate ends the reconcile of an access that is granted, protected, and whose Secret has
// not changed since the sidecar wrote it. It makes no call: many drivers make a new key for each
// Grant.
func (a *attempt) checkUpToDate(ctx context.Context) (err error) {
	a.upToDate, err = a.isUpToDate(ctx)
	switch {
	case err != nil:
		return err
	case a.upToDate && a.isProtected(ctx):
		return cosireconcile.ErrDone
	case !a.upToDate && a.class == nil:
		return reasons.Waiting(v1alpha2.ReasonBucketAccessClassNotFound,
			"the Secret has to be written again, but BucketAccessClass %q does not exist", a.Object.Spec.BucketAccessClassName)
	}
	return nil
}

func (a *attempt) isUpToDate(ctx context.Context) (bool, error) {
	if !a.Object.Status.AccessGranted || a.Object.Status.AccountID == "" {
		return false, nil
	}
	key := a.secretKey()
	left, known := a.versions.Get(a.Object, key.Name)
	if cached, err := secretstore.ReadVersion(ctx, a.cached, key); err != nil || known && cached == left {
		return err == nil, err
	}
	secret, err := a.secrets.Get(ctx, key)
	if err != nil || secret == nil || !belongs(secret, a.Object) || !a.isIntact(secret) {
		return false, err
	}
	a.versions.Set(a.Object, map[string]secretstore.Version{key.Name: secretstore.VersionOf(secret)})
	return true, nil
}

// isIntact reports whether the Secret has the sidecar's data. A Secret of upstream's sidecar has no
// digest: any BucketInfo in it counts.
func (a *attempt) isIntact(secret *corev1.Secret) bool {
	written, hasDigest := secret.Annotations[v1alpha1.DataDigestAnnotation]
	return bucketInfoName(secret) == v1alpha1.BucketInfoName(a.Object.UID) &&
		string(secret.Data[v1alpha2.SecretKeyCertificateAuthority]) == a.options.CertificateAuthority &&
		(written == digest(secret.Data) || !hasDigest && metav1.GetControllerOf(secret) == nil) &&
		secret.DeletionTimestamp.IsZero() && controllerutil.ContainsFinalizer(secret, v1alpha1.SecretFinalizer)
}

// isProtected reports whether, by the cache, the access and its Bucket have their finalizers.
func (a *attempt) isProtected(ctx context.Context) bool {
	found := recordOf(a.Object)
	if found == nil || !isProtected(a.Object) {
		return false
	}
	bucket := &v1alpha1.Bucket{}
	err := a.cached.Get(ctx, client.ObjectKey{Name: found.BucketName}, bucket)
	return err != nil || !bucket.DeletionTimestamp.IsZero() || isAccessed(bucket)
}

// checkSecret ensures that credentials can be written before the driver is asked for them. An
// existing Secret that does not belong to this access is never touched.
func (a *attempt) checkSecret(ctx context.Context) (err error) {
	if a.upToDate {
		return nil
	}
	if a.secret, err = a.secrets.Get(ctx, a.secretKey()); err != nil || a.secret == nil {
		return err
	}
	switch reason := a.rejectSecret(); {
	case reason != nil:
		return a.confirmSecret(ctx, reason)
	case !a.secret.DeletionTimestamp.IsZero():
		return a.releaseDeleted(ctx)
	}
	return nil
}

// rejectSecret returns the reason for which the existing Secret cannot get the credentials, or nil.
func (a *attempt) rejectSecret() error {
	isImmutable := a.secret.Immutable != nil && *a.secret.Immutable && a.secret.DeletionTimestamp.IsZero()
	switch {
	case !belongs(a.secret, a.Object):
		return reasons.Invalid(v1alpha2.ReasonSecretConflict, "Secret %q exists and does not belong to this BucketAccess: "+
			"delete it, or create a BucketAccess that names another Secret", a.secret.Name)
	case isImmutable:
		return reasons.Invalid(v1alpha2.ReasonSecretWriteFailed,
			"Secret %q is immutable: delete it, and the sidecar creates it again", a.secret.Name)
	default:
		return nil
	}
}

// confirmSecret returns the reason for which an access waits for an event of the Secret. If the
// cache has another version than the API server, one of them is outdated, and the watch may have no
// further event. Then the access is reconciled again.
func (a *attempt) confirmSecret(ctx context.Context, reason error) error {
	cached, err := secretstore.ReadVersion(ctx, a.cached, a.secretKey())
	switch {
	case err != nil:
		return err
	case cached != secretstore.VersionOf(a.secret):
		a.Requeue()
		return cosireconcile.ErrDone
	}
	return reason
}

// releaseDeleted releases a Secret that a user has deleted, so that it can be created again.
func (a *attempt) releaseDeleted(ctx context.Context) error {
	held, err := a.secrets.Release(ctx, a.secret)
	if err == nil && held {
		return reasons.Waiting(v1alpha2.ReasonSecretWriteFailed,
			"Secret %q has been deleted, and cannot be created again before its finalizers %v are removed", a.secret.Name, a.secret.Finalizers)
	}
	a.secret = nil
	return err
}

// writeSecret creates the Secret, or replaces its data as a whole.
func (a *attempt) writeSecret(ctx context.Context, info []byte) error {
	filled := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.Object.Namespace, Name: a.Object.Spec.CredentialsSecretName},
		Type:       corev1.SecretTypeOpaque,
	}
	if a.secret != nil {
		filled = a.secret.DeepCopy()
	}
	filled.Data = map[string][]byte{v1alpha1.BucketInfoKey: info}
	if a.options.CertificateAuthority != "" {
		filled.Data[v1alpha2.SecretKeyCertificateAuthority] = []byte(a.options.CertificateAuthority)
	}
	controllerutil.AddFinalizer(filled, v1alpha1.SecretFinalizer)
	for name, value := range map[string]string{
		v1alpha1.BucketAccessReferenceAnnotation: a.Object.Namespace + "/" + a.Object.Name,
		v1alpha1.DriverNameAnnotation:            a.driver.Name(),
		v1alpha1.DataDigestAnnotation:            digest(filled.Data),
	} {
		metav1.SetMetaDataAnnotation(&filled.ObjectMeta, name, value)
	}
	err := controllerutil.SetControllerReference(a.Object, filled, a.live.Scheme())
	switch {
	case err != nil:
	case a.secret == nil:
		err = a.secrets.Create(ctx, filled)
	case !equality.Semantic.DeepEqual(a.secret, filled):
		err = a.secrets.Update(ctx, filled)
	}
	if err != nil {
		return err
	}
	a.versions.Set(a.Object, map[string]secretstore.Version{filled.Name: secretstore.VersionOf(filled)})
	return nil
}

// deleteSecret deletes the Secret, and waits for the end of the deletion, before the access is
// revoked: a Secret must not outlive the credentials in it. A Secret of that name that does not
// belong to this access stays.
func (a *attempt) deleteSecret(ctx context.Context) error {
	a.versions.Forget(client.ObjectKeyFromObject(a.Object))
	secret, err := a.secrets.Get(ctx, a.secretKey())
	if err != nil {
		return err
	}
	gone := true
	switch {
	case secret == nil:
		// If the cache has it, one of the two is outdated.
		version, err := secretstore.ReadVersion(ctx, a.cached, a.secretKey())
		if err != nil {
			return err
		}
		gone = version == secretstore.Version{}
	case belongs(secret, a.Object):
		if gone, err = a.secrets.Delete(ctx, secret, a.Object); err != nil {
			return err
		}
	}
	if !gone {
		a.Requeue()
		return cosireconcile.ErrDone
	}
	return nil
}

func (a *attempt) secretKey() client.ObjectKey {
	return client.ObjectKey{Namespace: a.Object.Namespace, Name: a.Object.Spec.CredentialsSecretName}
}

// belongs reports whether a Secret belongs to the access. Normally, the access controls it. Secrets
// of upstream's sidecar have no owner, and a user may have removed it: the finalizer and the name
// in the BucketInfo decide.
func belongs(secret *corev1.Secret, access *v1alpha1.BucketAccess) bool {
	return metav1.IsControlledBy(secret, access) ||
		metav1.GetControllerOf(secret) == nil && controllerutil.ContainsFinalizer(secret, v1alpha1.SecretFinalizer) &&
			bucketInfoName(secret) == v1alpha1.BucketInfoName(access.UID)
}

// bucketInfoName returns the name in the BucketInfo of a Secret; empty without one, or without
// valid JSON.
func bucketInfoName(secret *corev1.Secret) string {
	info := v1alpha1.BucketInfo{}
	if json.Unmarshal(secret.Data[v1alpha1.BucketInfoKey], &info) != nil {
		return ""
	}
	return info.Metadata.Name
}

func digest(data map[string][]byte) string {
	encoded, err := json.Marshal(data) // with sorted keys
	if err != nil {
		return "" // never: it is a map of bytes
	}
	return fmt.Sprintf("%x", sha256.Sum256(encoded))
}
