package conformance_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// accessed is a bucket in a request.
type accessed = cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket

func grantMutants() []mutant {
	return []mutant{
		{
			name: "repeated Grant fails", class: "D03", want: []string{"AZ-03", "CC-04", "GC-03", "GR-06", "LF-02", "LF-11", "MB-02", "SV-02"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*grant); ok && err == nil && exists(state, m.GetAccountId()) {
						return nil, failed(codes.Internal, "the user exists")
					}
					if m, ok := r.(*revoke); ok {
						state.Delete(m.GetAccountId())
					}
					return response, err
				}
			},
		},
		{
			name: "Grant reaches the backend's limit of keys", class: "D03", want: []string{"CC-04", "GR-06"}, may: []string{"LF-02"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*grant); ok && err == nil {
						keys, _ := state.LoadOrStore(m.GetAccountId(), new(atomic.Int32))
						if keys.(*atomic.Int32).Add(1) > 2 { //nolint:forcetypeassert // it is
							return nil, failed(codes.ResourceExhausted, "the user has two keys")
						}
					}
					return response, err
				}
			},
		},
		{
			name: "Grant on an unknown bucket", class: "D11", want: []string{"CC-20", "GR-20", "MB-05"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if _, ok := r.(*grant); ok && status.Code(err) == codes.NotFound {
					return &granted{}, nil
				}
				return response, err
			}),
		},
		{
			name: "Grant finds deleted buckets in its cache", class: "D14", want: []string{"CC-20"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*create); ok && err == nil {
						state.Store(m.GetBucketId(), true)
					}
					if m, ok := r.(*grant); ok && status.Code(err) == codes.NotFound {
						for _, b := range m.GetBuckets() {
							if _, cached := state.Load(b.GetBucketId()); !cached {
								return nil, err
							}
						}
						return &granted{}, nil
					}
					return response, err
				}
			},
		},
		{
			name: "Grant creates the bucket", class: "D11", want: []string{"CC-20", "GR-20", "GR-21", "MB-05"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := r.(*grant); ok && status.Code(err) == codes.NotFound {
					for _, b := range m.GetBuckets() {
						_, _ = next(&create{BucketId: b.GetBucketId(), Parameters: map[string]string{"note": "first"}})
					}
					return next(r)
				}
				return response, err
			}),
		},
		{
			name: "a rejected Grant leaves its user", class: "D11", want: []string{"GR-38"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*grant)
					if !ok {
						return next(r)
					}
					if _, left := state.Load(m.GetAccountId()); left {
						return nil, failed(codes.AlreadyExists, "the user exists")
					}
					response, err := next(r)
					if status.Code(err) == codes.NotFound {
						state.Store(m.GetAccountId(), true)
					}
					return response, err
				}
			},
		},
		{
			name: "Grant accepts an empty account ID", class: "D10", want: []string{"GR-26"},
			behaviour: accept(&granted{}, func(m *grant) bool { return m.GetAccountId() == "" }),
		},
		{
			name: "Grant accepts a request without buckets", class: "D10", want: []string{"GR-28"},
			behaviour: accept(&granted{}, func(m *grant) bool { return len(m.GetBuckets()) == 0 }),
		},
		{
			name: "Grant accepts a bucket without ID", class: "D10", want: []string{"GR-37"},
			behaviour: accept(&granted{}, func(m *grant) bool {
				return len(m.GetBuckets()) > 0 && m.GetBuckets()[0].GetBucketId() == ""
			}),
		},
		{
			name: "Grant stumbles over Unicode", class: "D13", want: []string{"GR-30"},
			behaviour: reject(codes.Internal, "invalid byte sequence", func(m *grant) bool { return hasOdd(m.GetParameters()) }),
		},
		{
			name: "Grant returns other buckets", want: []string{"GR-05", "MB-01"},
			behaviour: onResponse(func(m *granted) {
				other := clone(m.GetBuckets()[0])
				other.BucketId = "other"
				m.Buckets = append(m.GetBuckets(), other)
			}),
		},
		{
			name: "Grant returns credentials for two protocols", class: "D25", want: []string{"AZ-02", "GR-03"},
			behaviour: onResponse(func(m *granted) {
				if m.GetCredentials().GetGcs() == nil {
					m.Credentials.Gcs = &cosiv1alpha2.GcsCredentialInfo{}
				}
			}),
		},
		{
			name: "Grant returns no endpoint", class: "D25", want: []string{"GR-04", "SV-07"},
			behaviour: onResponse(func(m *granted) {
				for _, b := range m.GetBuckets() {
					if s3 := b.GetBucketInfo().GetS3(); s3 != nil {
						s3.Endpoint = ""
					}
				}
			}),
		},
		{
			name: "a Grant that was cancelled leaks its user", class: "D05", want: []string{"LF-02"},
			behaviour: func(state *sync.Map) behaviour {
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*grant)
					if !ok {
						return next(r)
					}
					if isShort(ctx) {
						state.Store(m.GetAccountId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					if _, ok := state.Load(m.GetAccountId()); ok {
						return nil, failed(codes.Internal, "the user exists")
					}
					return next(r)
				}
			},
		},
	}
}

// known returns whether the protocol knows the value of an enum.
func knownMode(m cosiv1alpha2.AccessMode_Mode) bool {
	_, known := cosiv1alpha2.AccessMode_Mode_name[int32(m)]
	return known && m != cosiv1alpha2.AccessMode_UNKNOWN
}

// widened returns a mode that a faulty driver uses in place of one that it does not know.
func widened(m *cosiv1alpha2.AccessMode, to cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.AccessMode {
	if m != nil && !knownMode(m.GetMode()) {
		return &cosiv1alpha2.AccessMode{Mode: to}
	}
	return m
}

func enumMutants() []mutant {
	return []mutant{
		{
			name: "unknown authentication type accepted", class: "D12", want: []string{"GR-22"},
			behaviour: onRequest(func(m *grant) {
				if t := m.GetAuthenticationType(); t != nil && t.GetType() != withKey && t.GetType() != withAccount {
					t.Type = withKey
				}
			}),
		},
		{
			name: "unknown protocol accepted", class: "D12", want: []string{"GR-24"},
			behaviour: onRequest(func(m *grant) {
				p := m.GetProtocol()
				if p == nil {
					return
				}
				if _, known := cosiv1alpha2.ObjectProtocol_Type_name[int32(p.GetType())]; !known || p.GetType() == 0 {
					p.Type = protocolS3
				}
			}),
		},
		{
			name: "unknown access mode widened", class: "D12", want: []string{"GR-25"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) { b.ObjectDataAccessMode = widened(b.GetObjectDataAccessMode(), readWrite) })
			}),
		},
		{
			name: "access modes for metadata ignored", class: "D12", want: []string{"GR-35"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					b.ObjectMetadataAccessMode = widened(b.GetObjectMetadataAccessMode(), anyMode)
					b.BucketMetadataAccessMode = widened(b.GetBucketMetadataAccessMode(), anyMode)
				})
			}),
		},
		{
			name: "defaults for what is not set", class: "D12", want: []string{"GR-36"},
			behaviour: onRequest(func(m *grant) {
				if m.GetProtocol() == nil {
					m.Protocol = &cosiv1alpha2.ObjectProtocol{Type: protocolS3}
				}
				if m.GetAuthenticationType() == nil {
					m.AuthenticationType = &cosiv1alpha2.AuthenticationType{Type: withKey}
				}
				eachBucket(m, func(b *accessed) {
					if b.GetObjectDataAccessMode() == nil {
						b.ObjectDataAccessMode = &cosiv1alpha2.AccessMode{Mode: readWrite}
					}
				})
			}),
		},
	}
}

// asBefore has a repeated Grant return the first response if the two requests differ according to a
// function.
func asBefore(differs func(first, again *grant) bool) func(*sync.Map) behaviour {
	type before struct {
		request  *grant
		response *granted
	}
	return func(state *sync.Map) behaviour {
		return func(_ context.Context, r any, next call) (any, error) {
			if m, ok := r.(*revoke); ok {
				state.Delete(m.GetAccountId())
			}
			m, ok := r.(*grant)
			if !ok {
				return next(r)
			}
			if first, known := state.Load(m.GetAccountId()); known {
				if b, _ := first.(before); differs(b.request, m) {
					return b.response, nil
				}
			}
			asked := clone(m)
			response, err := next(r)
			if answer, ok := response.(*granted); ok && err == nil {
				state.Store(m.GetAccountId(), before{asked, answer})
			}
			return response, err
		}
	}
}

// dataMode is the mode for objects in the first bucket of a request.
func dataMode(m *grant) cosiv1alpha2.AccessMode_Mode {
	return m.GetBuckets()[0].GetObjectDataAccessMode().GetMode()
}

func repeatMutants() []mutant {
	return []mutant{
		{
			name: "Grant ignores another bucket", class: "D02", want: []string{"GR-09"},
			behaviour: asBefore(func(first, again *grant) bool {
				return len(again.GetBuckets()) == 1 && len(first.GetBuckets()) == 1 &&
					first.GetBuckets()[0].GetBucketId() != again.GetBuckets()[0].GetBucketId()
			}),
		},
		{
			name: "Grant ignores another number of buckets", class: "D02", want: []string{"MB-06"},
			behaviour: asBefore(func(first, again *grant) bool { return len(first.GetBuckets()) > len(again.GetBuckets()) }),
		},
		{
			name: "Grant ignores another protocol", class: "D02", want: []string{"GR-11"},
			behaviour: asBefore(func(first, again *grant) bool { return !isFor(again, first.GetProtocol().GetType()) }),
		},
		{
			name: "Grant ignores another authentication type", class: "D02", want: []string{"GR-12"},
			behaviour: asBefore(func(first, again *grant) bool {
				return first.GetAuthenticationType().GetType() != again.GetAuthenticationType().GetType()
			}),
		},
		{
			name: "Grant ignores other parameters", class: "D02", want: []string{"GR-13"},
			behaviour: asBefore(func(first, again *grant) bool { return first.GetParameters()["note"] != again.GetParameters()["note"] }),
		},
		{
			name: "Grant ignores other access modes", class: "D02", want: []string{"AM-07", "GR-14"},
			behaviour: asBefore(func(first, again *grant) bool { return dataMode(first) != dataMode(again) }),
		},
		{
			name: "Grant ignores another ServiceAccount", class: "D02", want: []string{"SV-05"},
			behaviour: asBefore(func(first, again *grant) bool {
				return first.GetServiceAccountName() != again.GetServiceAccountName() && again.GetServiceAccountName() != "" &&
					first.GetServiceAccountName() != ""
			}),
		},
		{
			name: "conflicts are internal errors", class: "D13", want: []string{"CB-11", "GR-10"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.AlreadyExists {
					return nil, failed(codes.Internal, "conflict")
				}
				return response, err
			}),
		},
	}
}

func revokeMutants() []mutant {
	return []mutant{
		{
			name: "Revoke does nothing", class: "D15", want: []string{"AZ-21", "CC-10", "GC-21", "MB-07", "SA-02", "SA-11"},
			behaviour: accept(&revoked{}, func(m *revoke) bool { return m.GetAccountId() != "" }),
		},
		{
			name: "repeated Revoke is not found", class: "D04", want: []string{"AZ-05", "CC-08", "GC-05", "LF-04", "RV-02", "RV-03", "SV-06"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*grant); ok && err == nil {
						state.Store(m.GetAccountId(), true)
					}
					if m, ok := r.(*revoke); ok && err == nil {
						if _, known := state.LoadAndDelete(m.GetAccountId()); !known {
							return nil, failed(codes.NotFound, "no such user")
						}
					}
					return response, err
				}
			},
		},
		{
			name: "Revoke accepts an empty account ID", class: "D10", want: []string{"RV-04"},
			behaviour: accept(&revoked{}, func(m *revoke) bool { return m.GetAccountId() == "" }),
		},
		{
			name: "Revoke reads the bucket", class: "D24", want: []string{"RV-05"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*revoke); ok {
					for _, b := range m.GetBuckets() {
						if _, err := next(&get{BucketId: b.GetBucketId()}); status.Code(err) == codes.NotFound {
							return nil, failed(codes.Internal, "the bucket is not there")
						}
					}
				}
				return next(r)
			}),
		},
		{
			name: "Revoke deletes the bucket", class: "D10", want: []string{"RV-06", "RV-08"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := r.(*revoke); ok && err == nil && m.GetAccountId() != "" {
					for _, b := range m.GetBuckets() {
						_, _ = next(&remove{BucketId: b.GetBucketId()})
					}
				}
				return response, err
			}),
		},
		{
			name: "Revoke takes an ID for a prefix", class: "D10", want: []string{"SA-13"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*grant); ok {
						state.Store(m.GetAccountId(), true)
					}
					if m, ok := r.(*revoke); ok && m.GetAccountId() != "" {
						for _, id := range ids(state) {
							if strings.HasPrefix(id, m.GetAccountId()) {
								_, _ = next(&revoke{AccountId: id})
							}
						}
					}
					return next(r)
				}
			},
		},
		{
			name: "a revoked access cannot be granted again", want: []string{"RV-06"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*revoke); ok {
						state.Store(m.GetAccountId(), true)
					}
					if m, ok := r.(*grant); ok {
						if _, gone := state.Load(m.GetAccountId()); gone {
							return nil, failed(codes.FailedPrecondition, "the user was deleted")
						}
					}
					return next(r)
				}
			},
		},
	}
}

func multiBucketMutants() []mutant {
	several := func(m *grant) bool { return len(m.GetBuckets()) > 1 }
	return []mutant{
		{
			name: "several buckets are an invalid argument", class: "D13", want: []string{"AZ-10", "GR-29"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*account); ok && len(m.GetBuckets()) > 1 {
					return nil, failed(codes.InvalidArgument, "one bucket only")
				}
				if m, ok := r.(*grant); ok && len(m.GetBuckets()) > 1 {
					return nil, failed(codes.InvalidArgument, "one bucket only")
				}
				return next(r)
			}),
		},
		{
			name: "the first bucket counts", class: "D11", want: []string{"AZ-10", "MB-01", "MB-02", "MB-05", "MB-06"},
			behaviour: onRequest(func(m *grant) {
				if several(m) {
					m.Buckets = m.GetBuckets()[:1]
				}
			}),
		},
		{
			name: "the order of buckets counts", want: []string{"MB-02"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*grant); ok && several(m) {
						first, known := state.LoadOrStore(m.GetAccountId(), m.GetBuckets()[0].GetBucketId())
						if known && first != m.GetBuckets()[0].GetBucketId() {
							return nil, failed(codes.AlreadyExists, "the access has other buckets")
						}
					}
					return next(r)
				}
			},
		},
		{
			name: "one access mode for several buckets", class: "D17", want: []string{"MB-09"},
			behaviour: onRequest(func(m *grant) {
				if several(m) {
					eachBucket(m, func(b *accessed) { b.ObjectDataAccessMode.Mode = readWrite })
				}
			}),
		},
		{
			name: "a credential for one of several buckets", want: []string{"MB-03"}, may: []string{"MB-09"},
			behaviour: onRequest(func(m *grant) {
				if several(m) {
					last := slices.MaxFunc(m.GetBuckets(), func(a, b *accessed) int { return strings.Compare(a.GetBucketId(), b.GetBucketId()) })
					last.ObjectDataAccessMode = &cosiv1alpha2.AccessMode{Mode: anyMode}
				}
			}),
		},
	}
}

func modeMutants() []mutant {
	return []mutant{
		{
			name: "read-only can write", class: "D17",
			want: []string{"AM-02", "AM-03", "AM-07", "AZ-24", "GC-24", "GR-14", "MB-09"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					if b.GetObjectDataAccessMode().GetMode() == readOnly {
						b.ObjectDataAccessMode.Mode = readWrite
					}
				})
			}),
		},
		{
			name: "write-only can read", class: "D17", want: []string{"AM-05", "AZ-25", "GC-25"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					if b.GetObjectDataAccessMode().GetMode() == writeOnly {
						b.ObjectDataAccessMode.Mode = readWrite
					}
				})
			}),
		},
		{
			name: "read-only cannot read", class: "D17", want: []string{"AM-01"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					if b.GetObjectDataAccessMode().GetMode() == readOnly {
						b.ObjectDataAccessMode.Mode = anyMode
					}
				})
			}),
		},
		{
			name: "write-only cannot write", class: "D17", want: []string{"AM-04"},
			behaviour: onRequest(func(m *grant) {
				eachBucket(m, func(b *accessed) {
					if b.GetObjectDataAccessMode().GetMode() == writeOnly {
						b.ObjectDataAccessMode.Mode = anyMode
					}
				})
			}),
		},
		{
			name: "write-only is an internal error", class: "D13", want: []string{"AM-06"},
			behaviour: reject(codes.Internal, "no such policy", func(m *grant) bool {
				return len(m.GetBuckets()) > 0 && dataMode(m) == writeOnly
			}),
		},
	}
}

func serviceAccountMutants() []mutant {
	keyless := func(m *grant) bool { return m.GetAuthenticationType().GetType() == withAccount }
	return []mutant{
		{
			name: "ServiceAccounts are denied", class: "D12", want: []string{"SV-01"},
			behaviour: reject(codes.PermissionDenied, "not allowed", keyless),
		},
		{
			name: "an access without a ServiceAccount", class: "D10", want: []string{"SV-03"},
			behaviour: onRequest(func(m *grant) {
				if keyless(m) && m.GetServiceAccountName() == "" {
					m.ServiceAccountName = "default"
				}
			}),
		},
		{
			name: "a key for a ServiceAccount", class: "D16", want: []string{"SV-04"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				m, ok := r.(*grant)
				isKeyless := ok && keyless(m)
				response, err := next(r)
				if answer, ok := response.(*granted); ok && err == nil && isKeyless {
					answer.Credentials.S3 = &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "key", AccessSecretKey: "a secret of a user"}
				}
				return response, err
			}),
		},
		{
			name: "a repeated revocation of a ServiceAccount fails", class: "D04", want: []string{"SV-06"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*revoke); ok && m.GetAuthenticationType().GetType() == withAccount && exists(state, m.GetAccountId()) {
						return nil, failed(codes.NotFound, "no such role")
					}
					return next(r)
				}
			},
		},
		{
			name: "keys require a ServiceAccount", want: []string{"SV-08"}, options: &fakedriver.Options{ServiceAccounts: true},
			behaviour: func(*sync.Map) behaviour {
				var keyless atomic.Bool // once it has seen a ServiceAccount, it expects one
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*grant)
					if !ok {
						return next(r)
					}
					if m.GetServiceAccountName() != "" {
						keyless.Store(true)
						return next(r)
					}
					if m.GetAuthenticationType().GetType() == withKey && keyless.CompareAndSwap(true, false) {
						return nil, failed(codes.InvalidArgument, "service_account_name is empty")
					}
					return next(r)
				}
			},
		},
	}
}
