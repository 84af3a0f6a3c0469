// Package webidentity finds a Pod's access by its ServiceAccount: the API server reviews the Pod's
// token, and the package looks up the BucketAccess that the Pod asks for. A driver gets only the
// name of a ServiceAccount, which many namespaces may have. Only Kubernetes knows the right one,
// because a BucketAccess and its ServiceAccount are in the same namespace.
package webidentity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Audience is the required audience of tokens: Amazon's name for its STS, which is the default of
// tools that project tokens for it.
const Audience = "sts.amazonaws.com"

// userPrefix is the prefix of ServiceAccounts among the users of the API server; NAMESPACE:NAME
// follows.
const userPrefix = "system:serviceaccount:"

// Verifier looks up tokens. It is safe for concurrent use.
type Verifier struct {
	client  client.Client
	driver  string
	version objectstorage.Version
}

// New returns a Verifier for the accesses that a driver has granted, in a cluster with the COSI
// kinds of a version. The client must be allowed to create TokenReviews, and to get BucketAccesses
// and the objects that they refer to.
func New(c client.Client, driver string, version objectstorage.Version) *Verifier {
	return &Verifier{client: c, driver: driver, version: version}
}

// Account returns the account of a BucketAccess for the bearer of a token. The BucketAccess must be
// in the namespace of the token's ServiceAccount, and for that ServiceAccount. The error is of kind
// authorization.ErrIdentity for an invalid token, of kind fakedriver.ErrNotExist if the access does
// not exist, or the API server's.
func (v *Verifier) Account(ctx context.Context, token, access string) (string, error) {
	serviceAccount, err := v.review(ctx, token)
	if err != nil {
		return "", err
	}
	key := client.ObjectKey{Namespace: serviceAccount.Namespace, Name: access}
	object, err := hub.ReadAccess(ctx, v.client, v.version, key)
	if apierrors.IsNotFound(err) || (err == nil && !v.isFor(object, serviceAccount.Name)) {
		return "", fmt.Errorf("access of ServiceAccount %s by a BucketAccess %s %w", serviceAccount, access, fakedriver.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("BucketAccess %s: %w", key, err)
	}
	return object.Status.AccountID, nil
}

// review returns the ServiceAccount of a token.
func (v *Verifier) review(ctx context.Context, token string) (client.ObjectKey, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{Audience}}}
	if err := v.client.Create(ctx, review); err != nil {
		return client.ObjectKey{}, fmt.Errorf("review a token: %w", err)
	}
	status := review.Status
	// An API server without support for audiences omits them.
	if !status.Authenticated || !slices.Contains(status.Audiences, Audience) {
		return client.ObjectKey{}, fmt.Errorf("token %w: it must be valid and for the audience %s", authorization.ErrIdentity, Audience)
	}
	user, ok := strings.CutPrefix(status.User.Username, userPrefix)
	namespace, name, found := strings.Cut(user, ":")
	if !ok || !found {
		return client.ObjectKey{}, fmt.Errorf("token of user %q %w: it must belong to a ServiceAccount",
			status.User.Username, authorization.ErrIdentity)
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}

// isFor reports whether an access belongs to a ServiceAccount of its namespace, and has been
// granted by the driver.
func (v *Verifier) isFor(access *v1alpha2.BucketAccess, serviceAccount string) bool {
	return access.Spec.ServiceAccountName == serviceAccount &&
		access.Status.AuthenticationType == v1alpha2.AuthenticationTypeServiceAccount &&
		access.Status.DriverName == v.driver && access.Status.AccountID != "" &&
		access.DeletionTimestamp.IsZero()
}
