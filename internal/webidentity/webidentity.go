// Package webidentity finds the access that a Pod has by its ServiceAccount: it
// lets the API server review the Pod's token, and looks up the BucketAccess that
// the Pod asks for. It exists because a driver is told of a ServiceAccount by its
// name alone, and ServiceAccounts of that name are in many namespaces; which of
// them is meant is known to Kubernetes only, where a BucketAccess and its
// ServiceAccount are in the same namespace.
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

// Audience is what tokens must be for: Amazon's name for its STS, which is the
// default of tools that project tokens for it.
const Audience = "sts.amazonaws.com"

// userPrefix is what the users of the API server begin with that are
// ServiceAccounts; NAMESPACE:NAME follows.
const userPrefix = "system:serviceaccount:"

// Verifier looks up tokens. It is safe for concurrent use.
type Verifier struct {
	client  client.Client
	driver  string
	version objectstorage.Version
}

// New returns a directory of the accesses that a driver has granted, in a cluster with the COSI
// kinds of a version. The client must be allowed to create TokenReviews, and to get
// BucketAccesses and what they refer to.
func New(c client.Client, driver string, version objectstorage.Version) *Verifier {
	return &Verifier{client: c, driver: driver, version: version}
}

// Account returns the account of a BucketAccess, by the name of which the bearer
// of a token asks for it: it must be in the namespace of the token's
// ServiceAccount, and for that ServiceAccount. Errors are of kind
// authorization.ErrIdentity for a token that is not good, fakedriver.ErrNotExist if there is
// no such access, or those of the API server.
func (d *Verifier) Account(ctx context.Context, token, access string) (string, error) {
	serviceAccount, err := d.review(ctx, token)
	if err != nil {
		return "", err
	}
	key := client.ObjectKey{Namespace: serviceAccount.Namespace, Name: access}
	object, err := hub.ReadAccess(ctx, d.client, d.version, key)
	if apierrors.IsNotFound(err) || (err == nil && !d.isFor(object, serviceAccount.Name)) {
		return "", fmt.Errorf("access of ServiceAccount %s by a BucketAccess %s %w", serviceAccount, access, fakedriver.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("BucketAccess %s: %w", key, err)
	}
	return object.Status.AccountID, nil
}

// review returns whose token it is.
func (d *Verifier) review(ctx context.Context, token string) (client.ObjectKey, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{Audience}}}
	if err := d.client.Create(ctx, review); err != nil {
		return client.ObjectKey{}, fmt.Errorf("review a token: %w", err)
	}
	status := review.Status
	// An API server that knows nothing of audiences leaves them out.
	if !status.Authenticated || !slices.Contains(status.Audiences, Audience) {
		return client.ObjectKey{}, fmt.Errorf("token %w: it must be valid and for the audience %s", authorization.ErrIdentity, Audience)
	}
	user, ok := strings.CutPrefix(status.User.Username, userPrefix)
	namespace, name, found := strings.Cut(user, ":")
	if !ok || !found {
		return client.ObjectKey{}, fmt.Errorf("token of user %q %w: it must be that of a ServiceAccount",
			status.User.Username, authorization.ErrIdentity)
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}

// isFor says whether an access is a ServiceAccount's of its namespace, and has
// been granted by the driver.
func (d *Verifier) isFor(access *v1alpha2.BucketAccess, serviceAccount string) bool {
	return access.Spec.ServiceAccountName == serviceAccount &&
		access.Status.AuthenticationType == v1alpha2.AuthenticationTypeServiceAccount &&
		access.Status.DriverName == d.driver && access.Status.AccountID != "" &&
		access.DeletionTimestamp.IsZero()
}
