package conformance_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// digest derives a secret from a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:40]
}

func secretMutants() []mutant {
	return []mutant{
		{
			name: "the operator's own key for all", class: "D16",
			want: []string{
				"AM-02", "AM-03", "AM-05", "CC-10", "MB-07", "MB-08", "MB-09", "SA-02", "SA-03", "SA-07", "SA-10", "SA-11", "SA-14",
			},
			service: func(d *driver, next http.Handler) http.Handler {
				d.state.Store("operator", d.administrator(d.t))
				return next
			},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*granted); ok && err == nil && m.GetCredentials().GetS3().GetAccessKeyId() != "" {
						operator, _ := state.Load("operator")
						key, _ := operator.(fakedriver.Credentials)
						m.Credentials.S3 = &cosiv1alpha2.S3CredentialInfo{AccessKeyId: key.AccessKeyID, AccessSecretKey: key.SecretAccessKey}
					}
					return response, err
				}
			},
		},
		{
			name: "the policy is not attached", class: "D14", want: []string{"CC-05", "MB-03", "MB-09", "SA-01"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					if isFor(m, protocolS3) && b.GetObjectDataAccessMode().GetMode() == readWrite {
						b.ObjectDataAccessMode.Mode = anyMode
					}
				})
			}),
		},
		{
			name: "one secret key for all", class: "D16", want: []string{"GC-04", "SA-03", "SA-11"},
			secret: func(string) string { return "theSecretOfAllTheUsersOfThisObjectStore1" },
		},
		{
			name: "a secret key is derived from the account", class: "D16", want: []string{"GC-08", "SA-04", "SA-11"}, secret: digest,
		},
		{
			name: "a secret key is the account", class: "D16", want: []string{"GC-08", "SA-04", "SA-11"},
			secret: func(id string) string { return strings.Repeat(strings.ReplaceAll(id, "-", ""), 2)[:40] },
		},
		{
			name: "secret keys have a serial number", class: "D16", want: []string{"SA-12"},
			secret: func() func(string) string {
				var n atomic.Int32
				return func(string) string { return fmt.Sprintf("TheSecretKeysOfThisObjectStoreAre%07d", n.Add(1)) }
			}(),
		},
		{
			name: "any secret key will do", class: "D16", want: []string{"SA-15"}, behaviour: learning, service: trusting,
		},
		{
			name: "everyone can read", class: "D16", want: []string{"AM-05", "MB-08", "SA-07", "SA-14", "SA-15"},
			service: openTo(func(r *http.Request) bool { return r.Method == http.MethodGet }),
		},
		{
			name: "everyone can list", class: "D16", want: []string{"SA-14"},
			service: openTo(func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Query().Has("list-type") }),
		},
		{
			name: "objects end with the access that wrote them", want: []string{"SA-09"}, behaviour: dying, service: mortal,
		},
		{
			name: "a repeated Grant returns a wrong key", class: "D03", want: []string{"SA-05"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					m, ok := r.(*grant)
					if answer, isGranted := response.(*granted); ok && isGranted && err == nil && exists(state, m.GetAccountId()) {
						if key := answer.GetCredentials().GetS3(); key != nil {
							key.AccessSecretKey += "wrong"
						}
					}
					if m, ok := r.(*revoke); ok {
						state.Delete(m.GetAccountId())
					}
					return response, err
				}
			},
		},
		{
			name: "a repeated Grant rotates the key", class: "D03", want: []string{"SA-06"},
			options: &fakedriver.Options{Parameters: map[string]string{"rotateCredentials": "true"}},
		},
		{
			name: "revoking one access revokes the others of the bucket", class: "D08",
			want: []string{"AZ-23", "CC-10", "GC-23", "SA-08", "SA-09", "SA-13"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*grant); ok {
						for _, b := range m.GetBuckets() {
							state.Store(b.GetBucketId()+" "+m.GetAccountId(), true)
						}
					}
					if m, ok := r.(*revoke); ok && len(m.GetBuckets()) > 0 {
						for _, key := range ids(state) {
							if id, found := strings.CutPrefix(key, m.GetBuckets()[0].GetBucketId()+" "); found && id != m.GetAccountId() {
								_, _ = next(&revoke{AccountId: id})
							}
						}
					}
					return next(r)
				}
			},
		},
	}
}

func azureMutants() []mutant {
	token := func(change func(*cosiv1alpha2.AzureCredentialInfo)) func(*sync.Map) behaviour {
		return onResponse(func(m *granted) {
			if azure := m.GetCredentials().GetAzure(); azure != nil {
				change(azure)
			}
		})
	}
	return []mutant{
		{
			name: "Azure: the bucket is one of S3", class: "D12", want: []string{"AZ-01"},
			behaviour: onResponse(func(m *created) {
				if m.GetProtocols().GetAzure() != nil {
					m.Protocols = &bucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
				}
			}),
		},
		{
			name: "Azure: information about the bucket for S3", class: "D25", want: []string{"AZ-02", "AZ-06"},
			behaviour: onResponse(func(m *granted) {
				for _, b := range m.GetBuckets() {
					if b.GetBucketInfo().GetAzure() != nil {
						b.BucketInfo = &bucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
					}
				}
			}),
		},
		{
			name: "Azure: a storage account that cannot be", class: "D25", want: []string{"AZ-06"},
			behaviour: onResponse(func(m *granted) {
				for _, b := range m.GetBuckets() {
					if azure := b.GetBucketInfo().GetAzure(); azure != nil {
						azure.StorageAccount = "My_Account"
					}
				}
			}),
		},
		{
			name: "Azure: a token without its URI", class: "D25", want: []string{"AZ-07"},
			behaviour: token(func(azure *cosiv1alpha2.AzureCredentialInfo) {
				_, azure.AccessToken, _ = strings.Cut(azure.GetAccessToken(), "?")
			}),
		},
		{
			name: "Azure: an end in the past", class: "D25", want: []string{"AZ-08"},
			behaviour: token(func(azure *cosiv1alpha2.AzureCredentialInfo) {
				azure.ExpiryTimestamp = time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
			}),
		},
		{
			name: "Azure: a signature that can be guessed", class: "D16", want: []string{"AZ-09"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				m, isGrant := r.(*grant)
				if answer, ok := response.(*granted); ok && isGrant && err == nil {
					resign(answer, func(query url.Values) { query.Set("sig", digestSignature(m.GetAccountId())) })
				}
				return response, err
			}),
			azure: acceptDigests,
		},
		{
			name: "Azure: one token for all accesses to a bucket", class: "D16", want: []string{"AZ-04", "AZ-24", "AZ-25"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*granted); ok && err == nil && m.GetCredentials().GetAzure() != nil {
						azure := m.GetCredentials().GetAzure()
						first, _ := state.LoadOrStore(m.GetBuckets()[0].GetBucketId(), azure.GetAccessToken())
						azure.AccessToken, _ = first.(string)
					}
					return response, err
				}
			},
		},
		{
			name: "Azure: one token for several buckets", want: []string{"AZ-10"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*grant); ok && isFor(m, protocolAzure) && len(m.GetBuckets()) > 1 {
					m.Buckets = m.GetBuckets()[:1]
				}
				return next(r)
			}),
		},
		{
			name: "Azure: a token without permissions", class: "D14", want: []string{"AZ-20"},
			behaviour: onResponse(func(m *granted) { resign(m, func(query url.Values) { query.Set("sp", "l") }) }),
		},
		{
			name: "Azure: a token for the whole account", class: "D16", want: []string{"AZ-22"}, azure: acceptAnyContainer,
		},
		{
			name: "Azure: all permissions", class: "D17", want: []string{"AZ-24", "AZ-25"},
			behaviour: onRequest(func(m *grant) {
				if isFor(m, protocolAzure) {
					eachBucket(m, func(b *accessed) { b.ObjectDataAccessMode = &cosiv1alpha2.AccessMode{Mode: readWrite} })
				}
			}),
		},
		{
			name: "Azure: revocation revokes every token of the bucket", class: "D16", want: []string{"AZ-23"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*grant); ok && isFor(m, protocolAzure) && len(m.GetBuckets()) == 1 {
						state.Store(m.GetBuckets()[0].GetBucketId()+" "+m.GetAccountId(), true)
					}
					if m, ok := r.(*revoke); ok && isFor(m, protocolAzure) && len(m.GetBuckets()) == 1 {
						for _, key := range ids(state) {
							if id, found := strings.CutPrefix(key, m.GetBuckets()[0].GetBucketId()+" "); found && id != m.GetAccountId() {
								_, _ = next(&revoke{AccountId: id})
							}
						}
					}
					return next(r)
				}
			},
		},
	}
}

func gcsMutants() []mutant {
	return []mutant{
		{
			name: "GCS: no project", class: "D25", want: []string{"GC-06"},
			behaviour: onResponse(func(m *granted) {
				for _, b := range m.GetBuckets() {
					if gcs := b.GetBucketInfo().GetGcs(); gcs != nil {
						gcs.ProjectId = ""
					}
				}
			}),
		},
		{
			name: "GCS: half a key", class: "D25", want: []string{"GC-07"},
			behaviour: onResponse(func(m *granted) {
				if gcs := m.GetCredentials().GetGcs(); gcs != nil {
					gcs.AccessId = ""
				}
			}),
		},
		{
			name: "GCS: credentials for S3", class: "D25", want: []string{"GC-02", "GC-07"},
			behaviour: onResponse(func(m *granted) {
				if gcs := m.GetCredentials().GetGcs(); gcs != nil {
					m.Credentials = &cosiv1alpha2.CredentialInfo{
						S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: gcs.GetAccessId(), AccessSecretKey: gcs.GetAccessSecret()},
					}
				}
			}),
		},
		{
			name: "GCS: a wrong key", class: "D14", want: []string{"GC-20"},
			behaviour: onResponse(func(m *granted) {
				if gcs := m.GetCredentials().GetGcs(); gcs != nil {
					gcs.AccessSecret += "x"
				}
			}),
		},
		{
			name: "GCS: a key that outlives its access", class: "D15", want: []string{"GC-21"},
			behaviour: accept(&revoked{}, func(m *revoke) bool { return m.GetAccountId() != "" && isFor(m, protocolGCS) }),
		},
		{
			name: "GCS: everyone can read", class: "D16", want: []string{"GC-22", "GC-25"}, behaviour: lending, gcs: openGCS,
		},
		{
			name: "GCS: the bucket is one of S3", class: "D12", want: []string{"GC-01"},
			behaviour: onResponse(func(m *created) {
				if m.GetProtocols().GetGcs() != nil {
					m.Protocols = &bucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
				}
			}),
		},
	}
}

func codeMutants() []mutant {
	return []mutant{
		{
			name: "bad arguments are internal errors", class: "D13",
			want: []string{
				"CB-14", "CB-20", "CB-21", "DB-09", "GA-06", "GB-06", "GE-05", "GR-23", "GR-27", "GR-30", "GR-32", "GR-33", "GR-34", "RV-07",
			},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.InvalidArgument {
					return nil, failed(codes.Internal, "failed")
				}
				return response, err
			}),
		},
		{
			name: "plain errors", class: "D13", want: []string{"GE-02", "GR-31", "LF-20"}, may: []string{"CC-21"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.NotFound {
					return nil, failed(codes.Unknown, "no such thing")
				}
				return response, err
			}),
		},
		{
			name: "errors without a message", want: []string{"LF-21"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if err != nil {
					return nil, failed(status.Code(err), "")
				}
				return response, nil
			}),
		},
		{
			name: "secrets in error messages", class: "D21", want: []string{"SA-20"},
			behaviour: func(*sync.Map) behaviour {
				var last atomic.Value
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*granted); ok && err == nil {
						last.Store(m.GetCredentials().GetS3().GetAccessSecretKey())
					}
					if secret, ok := last.Load().(string); ok && secret != "" && status.Code(err) == codes.InvalidArgument {
						return nil, failed(codes.InvalidArgument, "failed with key "+secret)
					}
					return response, err
				}
			},
		},
	}
}
