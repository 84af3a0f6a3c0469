package bucketaccess

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// belongs reports whether a Secret belongs to the access. Normally, the access controls it. If a
// user, or an orphaning deletion, has removed the owner reference, the finalizer and the annotation
// decide.
func (a *attempt) belongs(ctx context.Context, secret *corev1.Secret) (bool, error) {
	switch {
	case metav1.IsControlledBy(secret, a.Object):
		return true, nil
	case !hasLostItsOwner(secret, a.Object):
		return false, nil
	default:
		// The annotation has the name of an access and not its UID: only the access
		// that the API server has now may take the Secret.
		return true, a.Reload(ctx)
	}
}

// hasLostItsOwner reports whether COSI has made the Secret for an access of that name, and no
// access controls it, or only an earlier one of that name.
func hasLostItsOwner(secret *corev1.Secret, access *v1alpha2.BucketAccess) bool {
	name := access.Namespace + "/" + access.Name
	if !controllerutil.ContainsFinalizer(secret, v1alpha2.ProtectionFinalizer) ||
		cmp.Or(secret.Annotations[v1alpha2.BucketAccessReferenceAnnotation], name) != name {
		return false
	}
	owner := metav1.GetControllerOf(secret)
	return owner == nil ||
		owner.APIVersion == v1alpha2.SchemeGroupVersion.String() && owner.Kind == "BucketAccess" && owner.Name == access.Name
}
