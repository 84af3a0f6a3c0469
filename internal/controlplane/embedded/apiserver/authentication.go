package apiserver

import (
	"crypto/x509"
	"net/http"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	x509request "k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/apiserver/pkg/authentication/user"
)

// newAuthenticator authenticates users of this process, client certificates and tokens, and
// all others as system:anonymous. A certificate that none of the authorities has issued is an error.
func newAuthenticator(tokens authenticator.Token, audiences authenticator.Audiences, authorities *x509.CertPool) authenticator.Request {
	verified := x509request.DefaultVerifyOptions()
	verified.Roots = authorities
	known := union.New(
		authenticator.WrapAudienceAgnosticRequest(audiences, authenticator.RequestFunc(authenticateLocal)),
		authenticator.WrapAudienceAgnosticRequest(audiences, x509request.New(verified, x509request.CommonNameUserConversion)),
		bearertoken.New(tokens),
	)
	return union.NewFailOnError(group.NewAuthenticatedGroupAdder(known), anonymous.NewAuthenticator(nil))
}

// userKey is the key of the user in the context of a request of this process. Requests
// from the network have no such value.
type userKey struct{}

func authenticateLocal(r *http.Request) (*authenticator.Response, bool, error) {
	who, ok := r.Context().Value(userKey{}).(user.Info)
	if !ok {
		return nil, false, nil
	}
	return &authenticator.Response{User: who}, true, nil
}
