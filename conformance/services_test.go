package conformance_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// accessKeyOf returns the access key ID that signed a request.
func accessKeyOf(r *http.Request) string {
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// signAs signs a request anew.
func (d *driver) signAs(r *http.Request, key fakedriver.Credentials) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.SecretAccessKey}
	err := signer.SignHTTP(r.Context(), credentials, r, r.Header.Get("X-Amz-Content-Sha256"), "s3", d.backend.Region(), time.Now())
	if err != nil {
		d.t.Error(err)
	}
	return r
}

// administrator returns a key that may do everything.
func (d *driver) administrator(tb testing.TB) fakedriver.Credentials {
	tb.Helper()
	key, err := d.backend.PutAccount(tb.Context(), fakedriver.AccountSpec{ID: "administrator", Owner: "test", Admin: true})
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// openTo is an S3 service that does some requests for everyone who has a key.
func openTo(allows func(*http.Request) bool) func(*driver, http.Handler) http.Handler {
	return func(d *driver, next http.Handler) http.Handler {
		key := d.administrator(d.t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if allows(r) {
				r = d.signAs(r, key)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// trusting is an S3 service that reads the access key ID, and not the signature.
func trusting(d *driver, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if secret, known := d.state.Load(accessKeyOf(r)); known {
			secret, _ := secret.(string)
			r = d.signAs(r, fakedriver.Credentials{AccessKeyID: accessKeyOf(r), SecretAccessKey: secret})
		}
		next.ServeHTTP(w, r)
	})
}

// learning is a behaviour that tells the service the secrets.
func learning(state *sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*granted); ok && err == nil {
			key := m.GetCredentials().GetS3()
			state.Store(key.GetAccessKeyId(), key.GetAccessSecretKey())
		}
		return response, err
	}
}

// openGCS is a GCS service that lets everyone read with the key of another. The behaviour
// lending tells it the keys.
func openGCS(d *driver, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bucket, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if key, known := d.state.Load(bucket); known && r.Method == http.MethodGet {
			key, _ := key.(fakedriver.Credentials)
			r = d.signAs(r, key)
		}
		next.ServeHTTP(w, r)
	})
}

// lending is a behaviour that tells the service a key for each bucket.
func lending(state *sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*granted); ok && err == nil && m.GetCredentials().GetGcs() != nil {
			key := m.GetCredentials().GetGcs()
			state.LoadOrStore(m.GetBuckets()[0].GetBucketId(),
				fakedriver.Credentials{AccessKeyID: key.GetAccessId(), SecretAccessKey: key.GetAccessSecret()})
		}
		return response, err
	}
}

// mortal is an S3 service in which objects end with the access that wrote them. The behaviour
// dying tells it which have ended.
func mortal(d *driver, next http.Handler) http.Handler {
	var writers sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			writers.Store(r.URL.Path, accessKeyOf(r))
		case http.MethodGet:
			if writer, known := writers.Load(r.URL.Path); known {
				if _, ended := d.state.Load(writer); ended {
					w.WriteHeader(http.StatusNotFound)
					return
				}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// dying is a behaviour that tells the service which access keys have ended.
func dying(state *sync.Map) behaviour {
	var keys sync.Map
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := r.(*grant); ok && err == nil {
			keys.Store(m.GetAccountId(), response.(*granted).GetCredentials().GetS3().GetAccessKeyId()) //nolint:forcetypeassert // it is
		}
		if m, ok := r.(*revoke); ok && err == nil {
			if key, known := keys.Load(m.GetAccountId()); known && key != "" {
				state.Store(key, true)
			}
		}
		return response, err
	}
}

// settling is an S3 service in which a key works a while after it was first used, as with
// backends that replicate their users.
func settling(_ *driver, next http.Handler) http.Handler {
	const denials = 2
	var mu sync.Mutex
	seen := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[accessKeyOf(r)]++
		early := seen[accessKeyOf(r)] <= denials
		mu.Unlock()
		if early {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
