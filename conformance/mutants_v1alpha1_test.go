package conformance_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

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
