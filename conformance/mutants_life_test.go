package conformance_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// busy fails calls of a type while another is in flight for the same key.
func busy[T any](key func(*T) string, err error) func(*sync.Map) behaviour {
	return func(*sync.Map) behaviour {
		var flying sync.Map
		return func(ctx context.Context, r any, next call) (any, error) {
			m, ok := r.(*T)
			if !ok {
				return next(r)
			}
			if exists(&flying, key(m)) {
				return nil, err
			}
			defer flying.Delete(key(m))
			together(context.WithoutCancel(ctx))
			return next(r)
		}
	}
}

func concurrencyMutants() []mutant {
	conflict := failed(codes.Internal, "conflict")
	return []mutant{
		{
			name: "dies in a burst", class: "D09", want: []string{"CC-06"}, may: []string{"CC-07", "CC-20", "CC-21"}, timeout: 10 * time.Second,
			behaviour: func(*sync.Map) behaviour {
				var flying atomic.Int32
				var dead atomic.Bool
				return func(ctx context.Context, r any, next call) (any, error) {
					if dead.Load() {
						return nil, failed(codes.Unavailable, "connection refused")
					}
					m, ok := r.(*create)
					if !ok || !strings.HasPrefix(m.GetBucketId(), "bc-") {
						return next(r)
					}
					if flying.Add(1) > 8 { // others are not so many
						dead.Store(true)
					}
					defer flying.Add(-1)
					together(ctx)
					return next(r)
				}
			},
		},
		{
			name: "simultaneous Creates of one bucket fail", class: "D07", want: []string{"CC-02"}, may: []string{"LF-01"},
			behaviour: busy(func(m *create) string { return m.GetBucketId() }, conflict),
		},
		{
			name: "simultaneous Creates of different buckets fail", class: "D09", want: []string{"CC-02", "CC-07"}, may: []string{"LF-01"},
			behaviour: busy(func(*create) string { return "all" }, conflict),
		},
		{
			name: "simultaneous Deletes of one bucket fail", class: "D07", want: []string{"CC-03"}, may: []string{"LF-03"},
			behaviour: busy(func(m *remove) string { return m.GetBucketId() }, conflict),
		},
		{
			name: "simultaneous Grants of different accesses fail", class: "D09", want: []string{"CC-09"}, may: []string{"LF-02"},
			behaviour: busy(func(*grant) string { return "all" }, conflict),
		},
		{
			name: "simultaneous Revokes of one access fail", class: "D07", want: []string{"CC-08"}, may: []string{"LF-04"},
			behaviour: busy(func(m *revoke) string { return m.GetAccountId() }, conflict),
		},
		{
			name: "simultaneous Grants lose policies", class: "D08", want: []string{"CC-05"},
			behaviour: func(*sync.Map) behaviour {
				var flying atomic.Int32
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*grant)
					if !ok {
						return next(r)
					}
					first := flying.Add(1) == 1
					defer flying.Add(-1)
					together(ctx)
					response, err := next(r)
					if g, ok := response.(*granted); ok && err == nil && !first && m.GetAccountId() != "" && g.GetCredentials().GetS3() != nil {
						g.Credentials.S3.AccessSecretKey += "lost"
					}
					return response, err
				}
			},
		},
		{
			name: "simultaneous Revokes lose policies", class: "D08", want: []string{"CC-10"},
			behaviour: func(*sync.Map) behaviour {
				var flying atomic.Int32
				return func(ctx context.Context, r any, next call) (any, error) {
					if _, ok := r.(*revoke); !ok {
						return next(r)
					}
					first := flying.Add(1) == 1
					defer flying.Add(-1)
					together(ctx)
					if !first {
						return &revoked{}, nil
					}
					return next(r)
				}
			},
		},
		{
			name: "a cache for simultaneous lookups", class: "D07", want: []string{"CC-21"},
			behaviour: func(*sync.Map) behaviour {
				type answer struct {
					response any
					err      error
				}
				var cache sync.Map // of the first answers
				var looking atomic.Int32
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*get)
					if !ok || m.GetBucketId() == "" {
						return next(r)
					}
					many := looking.Add(1) > 1
					defer looking.Add(-1)
					together(ctx)
					response, err := next(r)
					first, _ := cache.LoadOrStore(m.GetBucketId(), answer{response, err})
					if a, _ := first.(answer); many {
						return a.response, a.err
					}
					return response, err
				}
			},
		},
	}
}

func lifeMutants() []mutant {
	return []mutant{
		{
			name: "a cancelled Create holds its lock", class: "D23", want: []string{"LF-01"},
			behaviour: func(*sync.Map) behaviour {
				var locked sync.Map
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					if _, held := locked.Load(m.GetBucketId()); held {
						return nil, failed(codes.Internal, "the bucket is locked")
					}
					if m.GetBucketId() != "" && isShort(ctx) {
						locked.Store(m.GetBucketId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					return next(r)
				}
			},
		},
		{
			name: "a cancelled Delete holds its lock", class: "D23", want: []string{"LF-03"},
			behaviour: func(*sync.Map) behaviour {
				var locked sync.Map
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*remove)
					if !ok {
						return next(r)
					}
					if _, held := locked.Load(m.GetBucketId()); held {
						return nil, failed(codes.Internal, "the bucket is locked")
					}
					if m.GetBucketId() != "" && isShort(ctx) {
						locked.Store(m.GetBucketId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					return next(r)
				}
			},
		},
		{
			name: "a cancelled Revoke leaves half a user", class: "D05", want: []string{"LF-04"},
			behaviour: func(state *sync.Map) behaviour {
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*revoke)
					if !ok {
						return next(r)
					}
					if _, half := state.Load(m.GetAccountId()); half {
						return nil, failed(codes.Internal, "the user has no policy")
					}
					if m.GetAccountId() != "" && isShort(ctx) {
						state.Store(m.GetAccountId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					return next(r)
				}
			},
		},
		{
			name: "accounts are known in memory", class: "D06", want: []string{"LF-11", "LF-13"},
			behaviour: func(state *sync.Map) behaviour {
				var known sync.Map
				return func(_ context.Context, r any, next call) (any, error) {
					var id string
					switch m := r.(type) {
					case *grant:
						id = m.GetAccountId()
					case *revoke:
						id = m.GetAccountId()
					default:
						return next(r)
					}
					_, granted := state.Load(id)
					if _, here := known.Load(id); granted && !here {
						return nil, failed(codes.Internal, "the user is in an unknown state")
					}
					response, err := next(r)
					if _, ok := r.(*grant); ok && err == nil {
						known.Store(id, true)
						state.Store(id, true)
					}
					if _, ok := r.(*revoke); ok && err == nil {
						state.Delete(id)
					}
					return response, err
				}
			},
		},
		{
			name: "buckets are known in memory", class: "D06", want: []string{"LF-10", "LF-12"},
			behaviour: func(state *sync.Map) behaviour {
				var known sync.Map
				return func(_ context.Context, r any, next call) (any, error) {
					var id string
					switch m := r.(type) {
					case *create:
						id = m.GetBucketId()
					case *remove:
						id = m.GetBucketId()
					default:
						return next(r)
					}
					_, created := state.Load(id)
					if _, here := known.Load(id); created && !here {
						return nil, failed(codes.Internal, "the bucket is in an unknown state")
					}
					response, err := next(r)
					if _, ok := r.(*create); ok && err == nil {
						known.Store(id, true)
						state.Store(id, true)
					}
					if _, ok := r.(*remove); ok && err == nil {
						state.Delete(id)
					}
					return response, err
				}
			},
		},
		{name: "Create fails", behaviour: failing[create](), want: []string{"CB-01"}},
		{name: "Delete fails", behaviour: failing[remove](), want: []string{"DB-01"}},
		{name: "Grant fails", behaviour: failing[grant](), want: []string{"GR-01"}},
		{name: "Revoke fails", behaviour: failing[revoke](), want: []string{"RV-01"}},
	}
}

// failing fails all calls of a type.
func failing[T any]() func(*sync.Map) behaviour {
	return reject(codes.Internal, "the backend returned 500", func(*T) bool { return true })
}

// oldMutants are drivers of v1alpha1.
func oldMutants() []mutant {
	return []mutant{
		{
			name: "v1alpha1: right", options: old(),
			behaviour: always(func(_ context.Context, r any, next call) (any, error) { return next(r) }),
		},
		{
			name: "v1alpha1: repeated Create already exists", class: "D01", options: old(), want: []string{"CB-04", "CC-01", "LF-01", "LF-10"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*cosiv1alpha1.DriverCreateBucketRequest); ok && err == nil && exists(state, m.GetName()) {
						return nil, failed(codes.AlreadyExists, "the bucket exists")
					}
					if m, ok := r.(*cosiv1alpha1.DriverDeleteBucketRequest); ok {
						state.Delete(m.GetBucketId())
					}
					return response, err
				}
			},
		},
		{
			name: "v1alpha1: Create does not compare parameters", class: "D02", options: old(), want: []string{"CB-10"},
			behaviour: onRequest(func(m *cosiv1alpha1.DriverCreateBucketRequest) {
				if m.GetParameters()["note"] == "second" {
					m.Parameters["note"] = "first"
				}
			}),
		},
		{
			name: "v1alpha1: long names are cut", class: "D19", options: old(), want: []string{"CB-07"},
			behaviour: onRequest(func(m *cosiv1alpha1.DriverCreateBucketRequest) {
				if !isOdd(m.GetName()) && len(m.GetName()) <= 128 {
					m.Name = strings.TrimRight(m.GetName()[:min(63, len(m.GetName()))], "-.")
				}
			}),
		},
		{
			name: "v1alpha1: long names are cut, and the second is taken", class: "D19", options: old(), want: []string{"CB-07"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*cosiv1alpha1.DriverCreateBucketRequest)
					if !ok || isOdd(m.GetName()) || len(m.GetName()) <= 63 || len(m.GetName()) > 128 {
						return next(r)
					}
					if first, known := state.LoadOrStore(m.GetName()[:63], m.GetName()); known && first != m.GetName() {
						return nil, failed(codes.AlreadyExists, "another account owns the bucket")
					}
					return next(r)
				}
			},
		},
		{
			name: "v1alpha1: long names are an internal error", class: "D13", options: old(), want: []string{"CB-25"},
			may: []string{"CB-07"},
			behaviour: func(*sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*cosiv1alpha1.DriverCreateBucketRequest); ok && len(m.GetName()) > 63 {
						return nil, failed(codes.Internal, "InvalidBucketName")
					}
					return next(r)
				}
			},
		},
		{
			name: "v1alpha1: odd names become one", class: "D19", options: old(), want: []string{"CB-22"},
			behaviour: onRequest(func(m *cosiv1alpha1.DriverCreateBucketRequest) {
				if isOdd(m.GetName()) {
					m.Name = "unnamed"
				}
			}),
		},
		{
			name: "v1alpha1: names become paths", class: "D10", options: old(), want: []string{"CB-23"},
			behaviour: accept2(func(m *cosiv1alpha1.DriverCreateBucketRequest) (any, bool) {
				return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: m.GetName(), BucketInfo: &cosiv1alpha1.Protocol{
					Type: &cosiv1alpha1.Protocol_S3{S3: &cosiv1alpha1.S3{}},
				}}, strings.Contains(m.GetName(), "..")
			}),
		},
		{
			name: "v1alpha1: Grant does not check the bucket", class: "D11", options: old(), want: []string{"CC-20", "GR-20"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := r.(*cosiv1alpha1.DriverGrantBucketAccessRequest); ok && status.Code(err) == codes.NotFound {
					return &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: m.GetName()}, nil
				}
				return response, err
			}),
		},
		{
			name: "v1alpha1: Revoke does nothing", class: "D15", options: old(), want: []string{"CC-10", "SA-02", "SA-11"},
			behaviour: accept(&cosiv1alpha1.DriverRevokeBucketAccessResponse{}, func(m *cosiv1alpha1.DriverRevokeBucketAccessRequest) bool {
				return m.GetAccountId() != "" && m.GetBucketId() != ""
			}),
		},
		{
			name: "v1alpha1: repeated Delete is not found", class: "D04", options: old(), want: []string{"CC-03", "DB-03", "DB-04", "LF-03"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*cosiv1alpha1.DriverCreateBucketResponse); ok && err == nil {
						state.Store(m.GetBucketId(), true)
					}
					if m, ok := r.(*cosiv1alpha1.DriverDeleteBucketRequest); ok && err == nil {
						if _, known := state.LoadAndDelete(m.GetBucketId()); !known {
							return nil, failed(codes.NotFound, "no such bucket")
						}
					}
					return response, err
				}
			},
		},
		{
			name: "v1alpha1: a new account for each Grant", class: "D03", options: old(), want: []string{"CC-04", "GR-07", "LF-11", "SV-02"},
			behaviour: func(*sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) { return newAccount(r, next) }
			},
		},
		{
			name: "v1alpha1: plain errors", class: "D13", options: old(), want: []string{"GR-31", "LF-20"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.NotFound {
					return nil, failed(codes.Unknown, "no such thing")
				}
				return response, err
			}),
		},
	}
}

// serial numbers accounts.
var serial atomic.Int64

// newAccount grants an access, and returns another account ID each time.
func newAccount(r any, next call) (any, error) {
	const mark = ".n"
	if m, ok := r.(*cosiv1alpha1.DriverRevokeBucketAccessRequest); ok {
		if id, number, _ := strings.Cut(m.GetAccountId(), mark); len(number) == 1 {
			m.AccountId = id
		}
	}
	response, err := next(r)
	if m, ok := response.(*cosiv1alpha1.DriverGrantBucketAccessResponse); ok && err == nil {
		m.AccountId += mark + string(rune('a'+serial.Add(1)%26))
	}
	return response, err
}

// oldResponseMutants are drivers of v1alpha1 that return wrong responses.
func oldResponseMutants() []mutant {
	type (
		bucket = cosiv1alpha1.DriverCreateBucketResponse
		access = cosiv1alpha1.DriverGrantBucketAccessResponse
	)
	return []mutant{
		{
			name: "v1alpha1: no bucket_info", class: "D01", options: old(), want: []string{"CB-08"},
			behaviour: onResponse(func(m *bucket) { m.BucketInfo = nil }),
		},
		{
			name: "v1alpha1: repeated Create has no bucket_info", class: "D01", options: old(), want: []string{"CB-05"},
			behaviour: forgetful,
		},
		{
			name: "v1alpha1: long names become IDs", class: "D19", options: old(), want: []string{"CB-22"},
			behaviour: longIDs,
		},
		{
			name: "v1alpha1: no bucket ID", class: "D20", options: old(), want: []string{"CB-03"},
			behaviour: onResponse(func(m *bucket) { m.BucketId = "" }),
		},
		{
			name: "v1alpha1: the bucket ID of the last bucket", class: "D19", options: old(), want: []string{"CB-06", "CB-07"},
			may: []string{"CC-01", "CC-20"},
			behaviour: func(*sync.Map) behaviour {
				var last atomic.Value // until another call follows
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					m, ok := response.(*bucket)
					if !ok || err != nil {
						last.Store("")
						return response, err
					}
					if id, _ := last.Load().(string); id != "" {
						m.BucketId = id
					}
					last.Store(m.GetBucketId())
					return response, nil
				}
			},
		},
		{
			name: "v1alpha1: no account ID", class: "D20", options: old(), want: []string{"GR-02"},
			behaviour: onResponse(func(m *access) { m.AccountId = "" }),
		},
		{
			name: "v1alpha1: one account for all", class: "D16", options: old(), want: []string{"CC-10", "GR-08", "SA-08", "SA-09"},
			behaviour: func(state *sync.Map) behaviour {
				const user = "the-user"
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*cosiv1alpha1.DriverRevokeBucketAccessRequest)
					if ok && m.GetAccountId() == user {
						for _, id := range ids(state) {
							m.AccountId = id
							state.Delete(id)
							if _, err := next(r); err != nil {
								return nil, err
							}
						}
						return &cosiv1alpha1.DriverRevokeBucketAccessResponse{}, nil
					}
					response, err := next(r)
					if m, ok := response.(*access); ok && err == nil {
						state.Store(m.GetAccountId(), true)
						m.AccountId = user
					}
					return response, err
				}
			},
		},
		{
			name: "v1alpha1: misspelt keys", class: "D25", options: old(), want: []string{"GR-04"},
			behaviour: onResponse(func(m *access) {
				secrets := m.GetCredentials()["s3"].GetSecrets()
				secrets["access_key"] = secrets["accessKeyID"]
				delete(secrets, "accessKeyID")
			}),
		},
		{
			name: "v1alpha1: misspelt protocol", class: "D25", options: old(), want: []string{"GR-03", "GR-04"},
			behaviour: onResponse(func(m *access) {
				m.GetCredentials()["S3"] = m.GetCredentials()["s3"]
				delete(m.GetCredentials(), "s3")
			}),
		},
		{
			name: "v1alpha1, Azure: a token without its URI", class: "D25", want: []string{"AZ-07"},
			options: &fakedriver.Options{Dialect: dialects.V1alpha1, Protocols: []fakedriver.Protocol{fakedriver.ProtocolAzure}},
			behaviour: onResponse(func(m *access) {
				secrets := m.GetCredentials()["azure"].GetSecrets()
				_, secrets["accessToken"], _ = strings.Cut(secrets["accessToken"], "?")
			}),
		},
	}
}

// forgetful returns bucket_info when a bucket is created, and not when the call is repeated.
func forgetful(state *sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*cosiv1alpha1.DriverCreateBucketResponse); ok && err == nil && exists(state, m.GetBucketId()) {
			m.BucketInfo = nil
		}
		return response, err
	}
}

// longIDs returns names as IDs that are longer than the specification allows.
func longIDs(state *sync.Map) behaviour {
	return accept2(func(m *cosiv1alpha1.DriverCreateBucketRequest) (any, bool) {
		return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: m.GetName()}, len(m.GetName()) > 253
	})(state)
}
