package existingcluster

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/oauth2"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenLifetime is the requested lifetime; API servers may grant less.
const tokenLifetime = time.Hour

// ServiceAccount returns a client configuration with exactly the rights of a
// ServiceAccount. It renews its tokens. The errors are ErrNotInstalled and
// ErrNotPermitted.
func (c *Cluster) ServiceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	tokens := &tokenSource{client: c.client, account: account}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	first, err := tokens.request(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%w: ServiceAccount %s/%s does not exist; %s", ErrNotInstalled, namespace, name, howToInstall)
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("%w: to be ServiceAccount %s/%s, it needs the right to create serviceaccounts/token there: %w",
			ErrNotPermitted, namespace, name, err)
	case err != nil:
		return nil, fmt.Errorf("get a token of ServiceAccount %s/%s: %w", namespace, name, err)
	}
	cfg := rest.AnonymousClientConfig(c.config)
	cfg.Wrap(transport.TokenSourceWrapTransport(oauth2.ReuseTokenSource(first, tokens)))
	return cfg, nil
}

type tokenSource struct {
	client  client.Client
	account *corev1.ServiceAccount
}

func (s *tokenSource) Token() (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return s.request(ctx)
}

func (s *tokenSource) request(ctx context.Context) (*oauth2.Token, error) {
	seconds := int64(tokenLifetime / time.Second)
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	issued := time.Now()
	if err := s.client.SubResource("token").Create(ctx, s.account, token); err != nil {
		return nil, err
	}
	if given := token.Spec.ExpirationSeconds; given != nil {
		seconds = *given
	}
	// Use our own clock, and renew well before the expiry: the cluster's clock may differ.
	lifetime := time.Duration(seconds) * time.Second
	return &oauth2.Token{AccessToken: token.Status.Token, TokenType: "Bearer", Expiry: issued.Add(lifetime * 4 / 5)}, nil
}
