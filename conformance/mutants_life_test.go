package conformance_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
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
