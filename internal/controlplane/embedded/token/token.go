// Package token issues and authenticates the tokens of ServiceAccounts, as a
// kube-apiserver does.
package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	authenticationjwt "k8s.io/apiserver/pkg/authentication/token/jwt"
)

// Issuer issues tokens, and authenticates those that it issued.
type Issuer struct {
	url    string
	key    *ecdsa.PrivateKey
	keyID  string
	signer jose.Signer
}

// NewIssuer returns an issuer with a new key. The URL names it, and is its audience.
func NewIssuer(url string) (*Issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(public)
	i := &Issuer{url: url, key: key, keyID: base64.RawURLEncoding.EncodeToString(sum[:])}
	signing := jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: i.keyID}}
	if i.signer, err = jose.NewSigner(signing, nil); err != nil {
		return nil, fmt.Errorf("make a signer of tokens: %w", err)
	}
	return i, nil
}

// Algorithm is the algorithm of the signatures.
const Algorithm = string(jose.ES256)

// URL returns the URL that names the issuer.
func (i *Issuer) URL() string { return i.url }

// KeysURL returns the URL of a path of the API server.
func (i *Issuer) KeysURL(path string) string { return strings.TrimSuffix(i.url, "/") + path }

// Keys returns the public keys as a JSON Web Key Set.
func (i *Issuer) Keys() ([]byte, error) {
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
		Key: i.key.Public(), KeyID: i.keyID, Algorithm: Algorithm, Use: "sig",
	}}})
}

// Audiences returns the audiences of the API server.
func (i *Issuer) Audiences() authenticator.Audiences { return authenticator.Audiences{i.url} }

// claims are the claims in tokens of Kubernetes.
type claims struct {
	Kubernetes kubernetesClaims `json:"kubernetes.io"`
}

type kubernetesClaims struct {
	Namespace      string     `json:"namespace,omitempty"`
	ServiceAccount reference  `json:"serviceaccount"`
	Pod            *reference `json:"pod,omitempty"`
	Secret         *reference `json:"secret,omitempty"`
}

type reference struct {
	Name string `json:"name,omitempty"`
	UID  string `json:"uid,omitempty"`
}

// Bound is the object with which a token ends: a *corev1.Pod, a *corev1.Secret, or nil.
type Bound metav1.Object

// Issue returns a token of an account.
func (i *Issuer) Issue(account *corev1.ServiceAccount, bound Bound, now time.Time, seconds int64, audiences []string) (string, error) {
	own := claims{kubernetesClaims{
		Namespace: account.Namespace, ServiceAccount: reference{account.Name, string(account.UID)},
	}}
	switch bound := bound.(type) {
	case *corev1.Pod:
		own.Kubernetes.Pod = &reference{bound.Name, string(bound.UID)}
	case *corev1.Secret:
		own.Kubernetes.Secret = &reference{bound.Name, string(bound.UID)}
	}
	return jwt.Signed(i.signer).Claims(own).Claims(jwt.Claims{
		Issuer:    i.url,
		Subject:   serviceaccount.MakeUsername(account.Namespace, account.Name),
		Audience:  audiences,
		Expiry:    jwt.NewNumericDate(now.Add(time.Duration(seconds) * time.Second)),
		NotBefore: jwt.NewNumericDate(now),
		IssuedAt:  jwt.NewNumericDate(now),
		ID:        uuid.NewString(),
	}).Serialize()
}

// Getter reads the objects that tokens name.
type Getter interface {
	ServiceAccount(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error)
	Pod(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error)
}

// Authenticator authenticates the tokens of an issuer whose objects exist.
type Authenticator struct {
	issuer *Issuer
	getter Getter
}

var _ authenticator.Token = &Authenticator{}

// NewAuthenticator returns an authenticator.
func NewAuthenticator(issuer *Issuer, getter Getter) *Authenticator {
	return &Authenticator{issuer, getter}
}

// AuthenticateToken implements authenticator.Token. It has no opinion on tokens of other
// issuers.
func (a *Authenticator) AuthenticateToken(ctx context.Context, raw string) (*authenticator.Response, bool, error) {
	parsed, ok := a.parse(raw)
	if !ok {
		return nil, false, nil
	}
	public, own := jwt.Claims{}, claims{}
	if len(parsed.Headers) == 0 || parsed.Headers[0].KeyID != a.issuer.keyID {
		return nil, false, errors.New("invalid signature, no keys found")
	}
	if err := parsed.Claims(a.issuer.key.Public(), &public, &own); err != nil {
		return nil, false, err
	}
	audiences, err := a.audiences(ctx, public)
	if err != nil {
		return nil, false, err
	}
	if err := checkTime(public); err != nil {
		return nil, false, err
	}
	info, err := a.check(ctx, own.Kubernetes)
	if err != nil {
		return nil, false, err
	}
	info.CredentialID = authenticationjwt.CredentialIDForJTI(public.ID)
	return &authenticator.Response{User: info.UserInfo(), Audiences: audiences}, true, nil
}

// parse returns a token that claims this issuer. Others are of other kinds, or of other issuers.
func (a *Authenticator) parse(raw string) (*jwt.JSONWebToken, bool) {
	parsed, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.ES256, jose.RS256})
	if err != nil {
		return nil, false
	}
	unverified := jwt.Claims{}
	err = parsed.UnsafeClaimsWithoutVerification(&unverified)
	return parsed, err == nil && unverified.Issuer == a.issuer.url
}

func (a *Authenticator) audiences(ctx context.Context, public jwt.Claims) (authenticator.Audiences, error) {
	requested, ok := authenticator.AudiencesFrom(ctx)
	if !ok {
		requested = a.issuer.Audiences()
	}
	common := authenticator.Audiences(public.Audience).Intersect(requested)
	if len(common) == 0 {
		return nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", public.Audience, requested)
	}
	return common, nil
}

func checkTime(public jwt.Claims) error {
	switch err := public.Validate(jwt.Expected{Time: time.Now()}); {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrExpired):
		return errors.New("service account token has expired")
	case errors.Is(err, jwt.ErrNotValidYet):
		return errors.New("service account token is not valid yet")
	case errors.Is(err, jwt.ErrIssuedInTheFuture):
		return errors.New("service account token is issued in the future")
	default:
		return fmt.Errorf("service account token claims could not be validated: %w", err)
	}
}

// check checks that the account, and the object that the token is bound to, exist.
func (a *Authenticator) check(ctx context.Context, c kubernetesClaims) (*serviceaccount.ServiceAccountInfo, error) {
	account, err := a.getter.ServiceAccount(ctx, c.Namespace, c.ServiceAccount.Name)
	if err != nil {
		return nil, err
	}
	if string(account.UID) != c.ServiceAccount.UID {
		return nil, fmt.Errorf("service account UID (%s) does not match claim (%s)", account.UID, c.ServiceAccount.UID)
	}
	if isDeleted(account) {
		return nil, fmt.Errorf("service account %s/%s has been deleted", c.Namespace, c.ServiceAccount.Name)
	}
	info := &serviceaccount.ServiceAccountInfo{Namespace: c.Namespace, Name: account.Name, UID: string(account.UID)}
	if c.Secret != nil {
		secret, err := a.getter.Secret(ctx, c.Namespace, c.Secret.Name)
		if err := checkBound("secret", *c.Secret, secret, err); err != nil {
			return nil, err
		}
	}
	if c.Pod != nil {
		pod, err := a.getter.Pod(ctx, c.Namespace, c.Pod.Name)
		if err := checkBound("pod", *c.Pod, pod, err); err != nil {
			return nil, err
		}
		info.PodName, info.PodUID = c.Pod.Name, c.Pod.UID
	}
	return info, nil
}

func checkBound(kind string, ref reference, obj metav1.Object, err error) error {
	switch {
	case err != nil:
		return errors.New("service account token has been invalidated")
	case string(obj.GetUID()) != ref.UID:
		return fmt.Errorf("%s UID (%s) does not match service account %s ref claim (%s)", kind, obj.GetUID(), kind, ref.UID)
	case isDeleted(obj):
		return errors.New("service account token has been invalidated")
	default:
		return nil
	}
}

// isDeleted reports whether an object is deleting for longer than clocks may differ.
func isDeleted(obj metav1.Object) bool {
	deleted := obj.GetDeletionTimestamp()
	return deleted != nil && deleted.Time.Before(time.Now().Add(-jwt.DefaultLeeway))
}
