package conformance_test

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/conformance"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func identityMutants() []mutant {
	return []mutant{
		{name: "right", behaviour: always(func(_ context.Context, r any, next call) (any, error) { return next(r) })},
		{
			name: "invalid name", want: []string{"ID-01"},
			behaviour: onResponse(func(m *getInfo) { m.Name = "My driver!" }),
		},
		{
			name: "another name each time", want: []string{"ID-02"},
			behaviour: func(*sync.Map) behaviour {
				var n atomic.Int32
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*getInfo); ok && err == nil {
						m.Name = "driver-" + strconv.Itoa(int(n.Add(1)))
					}
					return response, err
				}
			},
		},
		{
			name: "unknown protocol", class: "", want: []string{"ID-03"},
			behaviour: onResponse(func(m *getInfo) {
				m.SupportedProtocols = append(m.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: 99})
			}),
		},
		{
			name: "protocol twice", want: []string{"ID-04"},
			behaviour: onResponse(func(m *getInfo) { m.SupportedProtocols = append(m.SupportedProtocols, m.GetSupportedProtocols()[0]) }),
		},
		{
			name: "not serving", want: []string{"ID-05"},
			behaviour: onResponse(func(m *healthv1.HealthCheckResponse) { m.Status = healthv1.HealthCheckResponse_NOT_SERVING }),
		},
	}
}

// other IDs for the buckets of a driver.
func renamed(toID, fromID func(string) string) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		switch m := r.(type) {
		case *create:
			m.BucketId = fromID(m.GetBucketId())
		case *get:
			m.BucketId = fromID(m.GetBucketId())
		case *remove:
			m.BucketId = fromID(m.GetBucketId())
		case *account:
			for _, b := range m.GetBuckets() {
				b.BucketId = fromID(b.GetBucketId())
			}
		case *grant:
			eachBucket(m, func(b *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) {
				b.BucketId = fromID(b.GetBucketId())
			})
		}
		response, err := next(r)
		if err != nil {
			return nil, err
		}
		switch m := response.(type) {
		case *generated:
			m.BucketId = toID(m.GetBucketId())
		case *granted:
			for _, b := range m.GetBuckets() {
				b.BucketId = toID(b.GetBucketId())
			}
		}
		return response, nil
	})
}

func idMutants() []mutant {
	return []mutant{
		{
			name: "long names of accounts are cut", class: "D19", want: []string{"GA-04"},
			behaviour: onResponse(func(m *accountIs) { m.AccountId = m.GetAccountId()[:min(63, len(m.GetAccountId()))] }),
		},
		{
			name: "long names of buckets are cut, and the second is taken", class: "D19", want: []string{"GB-04"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*generate); ok && !isOdd(m.GetName()) && len(m.GetName()) > 63 && len(m.GetName()) <= 253 {
						if first, known := state.LoadOrStore(m.GetName()[:63], m.GetName()); known && first != m.GetName() {
							return nil, failed(codes.Internal, "the ID is taken")
						}
					}
					return next(r)
				}
			},
		},
		{
			name: "long names of buckets are cut", class: "D19", want: []string{"GB-04"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := r.(*generate); ok && err == nil && len(m.GetName()) > 63 {
					return &generated{BucketId: m.GetName()[:63]}, nil
				}
				return response, err
			}),
		},
		{
			name: "invalid characters in account IDs", class: "D19", want: []string{"GA-01"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				switch m := r.(type) {
				case *grant:
					m.AccountId = strings.TrimPrefix(m.GetAccountId(), "user:")
				case *revoke:
					m.AccountId = strings.TrimPrefix(m.GetAccountId(), "user:")
				}
				response, err := next(r)
				if m, ok := response.(*accountIs); ok && err == nil {
					m.AccountId = "user:" + m.GetAccountId()
				}
				return response, err
			}),
		},
		{
			name: "invalid characters in bucket IDs", class: "D19", want: []string{"GB-01"},
			behaviour: renamed(
				func(id string) string { return "arn:s3:" + id },
				func(id string) string { return strings.TrimPrefix(id, "arn:s3:") },
			),
		},
		{
			name: "empty account ID", class: "D20", want: []string{"GA-01", "GA-03", "GA-04"},
			behaviour: onResponse(func(m *accountIs) { m.AccountId = "" }),
		},
		{
			name: "empty bucket ID", class: "D20", want: []string{"GB-01", "GB-03", "GB-04"},
			behaviour: onResponse(func(m *generated) { m.BucketId = "" }),
		},
		{
			name: "names in Unicode become IDs", class: "D19", want: []string{"GB-08"},
			behaviour: accept2(func(m *generate) (any, bool) { return &generated{BucketId: m.GetName()}, isOdd(m.GetName()) }),
		},
		{
			name: "names of accounts in Unicode become IDs", class: "D19", want: []string{"GA-08"},
			behaviour: accept2(func(m *account) (any, bool) {
				return &accountIs{AccountId: m.GetAccountName()}, isOdd(m.GetAccountName())
			}),
		},
		{
			name: "names become paths", class: "D10", want: []string{"GB-09"},
			behaviour: accept2(func(m *generate) (any, bool) {
				return &generated{BucketId: m.GetName()}, strings.Contains(m.GetName(), "..")
			}),
		},
		{
			name: "names of accounts become paths", class: "D10", want: []string{"GA-09"},
			behaviour: accept2(func(m *account) (any, bool) {
				return &accountIs{AccountId: m.GetAccountName()}, strings.Contains(m.GetAccountName(), "..")
			}),
		},
		{
			name: "empty names are accepted", class: "D10", want: []string{"GA-05", "GB-05"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*generate); ok && m.GetName() == "" {
					return &generated{BucketId: "bucket"}, nil
				}
				if m, ok := r.(*account); ok && m.GetAccountName() == "" {
					return &accountIs{AccountId: "account"}, nil
				}
				return next(r)
			}),
		},
		{
			name: "another bucket ID each time", class: "D19", want: []string{"GB-02"},
			behaviour: func(*sync.Map) behaviour {
				var n atomic.Int32
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*generated); ok && err == nil && len(m.GetBucketId()) < 60 {
						m.BucketId += strconv.Itoa(int(n.Add(1)))
					}
					return response, err
				}
			},
		},
		{
			name: "another account ID each time", class: "D19", want: []string{"GA-02", "MB-04"},
			behaviour: func(*sync.Map) behaviour {
				var n atomic.Int32
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*accountIs); ok && err == nil {
						m.AccountId += strconv.Itoa(int(n.Add(1)))
					}
					return response, err
				}
			},
		},
		{
			name: "an ID is free until it is used", class: "D19", want: []string{"GB-03", "GB-04"}, may: []string{"CC-20", "CC-21"},
			behaviour: func(*sync.Map) behaviour {
				var free atomic.Value
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*generated); ok && err == nil {
						if id, _ := free.Load().(string); id != "" {
							m.BucketId = id
						}
						free.Store(m.GetBucketId())
					}
					if _, ok := r.(*create); ok {
						free.Store("")
					}
					return response, err
				}
			},
		},
		{
			name: "DriverGenerateBucketId creates the bucket", want: []string{"GB-07"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := r.(*generate); ok && err == nil {
					id := response.(*generated).GetBucketId() //nolint:forcetypeassert // it is
					_, _ = next(&create{BucketId: id, Protocols: m.GetProtocols(), Parameters: m.GetParameters()})
				}
				return response, err
			}),
		},
	}
}

// accept2 answers requests of a type without the driver, if a function returns a response.
func accept2[T any](answer func(*T) (any, bool)) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(*T); ok {
			if response, answered := answer(m); answered {
				return response, nil
			}
		}
		return next(r)
	})
}

// createsOnce answers AlreadyExists to a repeated creation.
func createsOnce(state *sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := r.(*create); ok && err == nil && exists(state, m.GetBucketId()) {
			return nil, failed(codes.AlreadyExists, "the bucket exists")
		}
		if m, ok := r.(*remove); ok {
			state.Delete(m.GetBucketId())
		}
		return response, err
	}
}

func createMutants() []mutant {
	return []mutant{
		{
			name: "repeated Create already exists", class: "D01", want: []string{"CB-04", "CC-01", "CC-02", "LF-01", "LF-10"},
			behaviour: createsOnce,
		},
		{
			name: "repeated Create has no protocols", class: "D01", want: []string{"CB-05", "CB-19"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*create); ok && err == nil && exists(state, m.GetBucketId()) {
						return &created{}, nil
					}
					return response, err
				}
			},
		},
		{
			name: "Create returns no protocols", class: "D01", want: []string{"AZ-01", "CB-02", "CB-19", "GC-01"},
			behaviour: onResponse(func(m *created) { m.Protocols = nil }),
		},
		{
			name: "Create does not compare parameters", class: "D02", want: []string{"CB-10"},
			behaviour: onRequest(func(m *create) {
				if m.GetParameters()["note"] == "second" {
					m.Parameters["note"] = "first"
				}
			}),
		},
		{
			name: "Create ignores the protocol of an existing bucket", class: "D02", want: []string{"CB-19"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*create); ok {
						first, known := state.LoadOrStore(m.GetBucketId(), m.GetProtocols())
						if known {
							m.Protocols, _ = first.([]*cosiv1alpha2.ObjectProtocol)
						}
					}
					return next(r)
				}
			},
		},
		{
			name: "a rejected Create changes the bucket", class: "D02", want: []string{"CB-12"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					if _, changed := state.Load(m.GetBucketId()); changed && m.GetParameters()["note"] == "first" {
						return nil, failed(codes.AlreadyExists, "the bucket has other parameters")
					}
					response, err := next(r)
					if status.Code(err) == codes.AlreadyExists && m.GetParameters()["note"] == "second" {
						state.Store(m.GetBucketId(), true)
					}
					return response, err
				}
			},
		},
		{
			name: "Create accepts an empty bucket ID", class: "D10", want: []string{"CB-13"},
			behaviour: accept(s3Bucket(), func(m *create) bool { return m.GetBucketId() == "" }),
		},
		{
			name: "Create cuts bucket IDs", class: "D10", want: []string{"CB-17"},
			behaviour: onRequest(func(m *create) {
				if len(m.GetBucketId()) > 2048 {
					m.BucketId = m.GetBucketId()[:63]
				}
			}),
		},
		{
			name: "Create takes IDs for paths", class: "D10", want: []string{"CB-24"},
			behaviour: accept(s3Bucket(), func(m *create) bool { return strings.Contains(m.GetBucketId(), "..") }),
		},
		{
			name: "Create adopts a bucket of others", class: "D18", want: []string{"CB-18"},
			behaviour: accept(s3Bucket(), func(m *create) bool { return m.GetBucketId() == existing }),
		},
		{
			name: "Create stumbles over Unicode", class: "D13", want: []string{"CB-20"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*create); ok && hasOdd(m.GetParameters()) {
					return nil, failed(codes.Internal, "invalid byte sequence")
				}
				if m, ok := r.(*generate); ok && hasOdd(m.GetParameters()) {
					return nil, failed(codes.Internal, "invalid byte sequence")
				}
				return next(r)
			}),
		},
		{
			name: "Create accepts unknown protocols", class: "D12", want: []string{"CB-15"},
			behaviour: onRequest(func(m *create) {
				for _, p := range m.GetProtocols() {
					if _, known := cosiv1alpha2.ObjectProtocol_Type_name[int32(p.GetType())]; !known || p.GetType() == 0 {
						p.Type = protocolS3
					}
				}
			}),
		},
		{
			name: "Create accepts protocols that the driver does not support", class: "D12", want: []string{"CB-16"}, options: s3Only(),
			behaviour: onRequest(func(m *create) {
				for _, p := range m.GetProtocols() {
					if p.GetType() == protocolGCS {
						p.Type = protocolS3
					}
				}
			}),
		},
		{
			name: "in-memory idempotency", class: "D06", want: []string{"LF-10"},
			behaviour: func(*sync.Map) behaviour {
				var names sync.Map
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					_, err := next(&get{BucketId: m.GetBucketId()})
					if _, known := names.Load(m.GetBucketId()); err == nil && !known {
						return nil, failed(codes.AlreadyExists, "the bucket exists")
					}
					names.Store(m.GetBucketId(), true)
					return next(r)
				}
			},
		},
	}
}

func getMutants() []mutant {
	return []mutant{
		{
			name: "Get finds buckets of others only", want: []string{"GE-01"}, class: "D14",
			behaviour: reject(codes.NotFound, "no such bucket", func(m *get) bool { return m.GetBucketId() != "" && m.GetBucketId() != existing }),
		},
		{
			name: "Get does not find buckets of others", want: []string{"GE-04"},
			behaviour: reject(codes.NotFound, "no such bucket", func(m *get) bool { return m.GetBucketId() == existing }),
		},
		{
			name: "Get accepts an empty ID", class: "D10", want: []string{"GE-03"},
			behaviour: accept(&got{Protocols: s3Bucket().GetProtocols()}, func(m *get) bool { return m.GetBucketId() == "" }),
		},
		{
			name: "Get ignores parameters", class: "D02", want: []string{"GE-06"},
			behaviour: onRequest(func(m *get) { m.Parameters = nil }),
		},
		{
			name: "Get ignores protocols", class: "D12", want: []string{"GE-07"},
			behaviour: onRequest(func(m *get) { m.Protocols = nil }),
		},
		{
			name: "Get of an unknown bucket is an internal error", class: "D13", want: []string{"GE-02"},
			behaviour: onError(codes.NotFound, func(*get, error) error { return failed(codes.Internal, "lookup failed") }),
		},
	}
}

// ids remembers the IDs of buckets.
func ids(state *sync.Map) []string {
	var all []string
	state.Range(func(id, _ any) bool { all = append(all, id.(string)); return true }) //nolint:forcetypeassert // they are
	slices.Sort(all)
	return all
}

// deleting is a behaviour that knows which buckets there are.
func deleting(remove1 func(m *remove, known []string, next call) (any, error)) func(*sync.Map) behaviour {
	return func(state *sync.Map) behaviour {
		return func(_ context.Context, r any, next call) (any, error) {
			if m, ok := r.(*create); ok {
				state.Store(m.GetBucketId(), true)
			}
			if m, ok := r.(*remove); ok {
				return remove1(m, ids(state), next)
			}
			return next(r)
		}
	}
}

func deleteMutants() []mutant {
	purge := func(p *conformance.Parameters) {
		p.NonEmptyDeletion = "purge"
		p.Bucket, p.Incompatible = purging(p.Bucket), purging(p.Incompatible)
	}
	return []mutant{
		{
			name: "repeated Delete is not found", class: "D04", want: []string{"CC-03", "DB-03", "DB-04", "LF-03"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*remove); ok && m.GetBucketId() != "" {
					if _, err := next(&get{BucketId: m.GetBucketId()}); status.Code(err) == codes.NotFound {
						return nil, failed(codes.NotFound, "no such bucket")
					}
				}
				return next(r)
			}),
		},
		{
			name: "Delete does nothing", class: "D14", want: []string{"CC-20", "DB-02", "DB-12", "LF-12"}, may: []string{"CC-21"},
			behaviour: accept(&removed{}, func(m *remove) bool { return m.GetBucketId() != "" }),
		},
		{
			name: "Delete drops the backend's error", class: "D14", want: []string{"DB-12"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if _, ok := r.(*remove); ok && status.Code(err) == codes.FailedPrecondition {
					return &removed{}, nil
				}
				return response, err
			}),
		},
		{
			name: "Delete accepts an empty ID", class: "D10", want: []string{"DB-05"},
			behaviour: accept(&removed{}, func(m *remove) bool { return m.GetBucketId() == "" }),
		},
		{
			name: "Delete takes an ID for a prefix", class: "D10", want: []string{"DB-08"},
			behaviour: deleting(func(m *remove, known []string, next call) (any, error) {
				for _, id := range known {
					if strings.HasPrefix(id, m.GetBucketId()) && m.GetBucketId() != "" {
						_, _ = next(&remove{BucketId: id})
					}
				}
				return next(m)
			}),
		},
		{
			name: "Delete takes an ID for a path", class: "D10", want: []string{"DB-10"},
			behaviour: onRequest(func(m *remove) {
				if strings.Contains(m.GetBucketId(), "..") {
					m.BucketId = path.Base(m.GetBucketId())
				}
			}),
		},
		{
			name: "Delete deletes another bucket, too", class: "D10", want: []string{"DB-07", "DB-08"},
			may: []string{"CC-20", "CC-21"},
			behaviour: deleting(func(m *remove, known []string, next call) (any, error) {
				response, err := next(m)
				for _, id := range known {
					if err == nil && id != m.GetBucketId() {
						_, _ = next(&remove{BucketId: id})
					}
				}
				return response, err
			}),
		},
		{
			name: "Delete deletes objects", want: []string{"DB-12"},
			behaviour: onRequest(func(m *create) { m.Parameters = purging(m.GetParameters()) }),
		},
		{
			name: "Delete deletes objects, and no one says so", want: []string{"DB-11"},
			parameters: func(p *conformance.Parameters) { purge(p); p.NonEmptyDeletion = "" },
			behaviour:  always(func(_ context.Context, r any, next call) (any, error) { return next(r) }),
		},
		{
			name: "Delete of a bucket with objects is an internal error", class: "D13", want: []string{"DB-13"},
			behaviour: onError(codes.FailedPrecondition, func(*remove, error) error { return failed(codes.Internal, "deletion failed") }),
		},
		{
			name: "Delete does not purge as stated", class: "D14", want: []string{"DB-14"}, parameters: purge,
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				switch m := r.(type) { // of which DriverGetBucket compares the parameters
				case *create:
					delete(m.GetParameters(), "nonEmptyDeletion")
				case *get:
					delete(m.GetParameters(), "nonEmptyDeletion")
				}
				return next(r)
			}),
		},
		{
			name: "a deleted bucket cannot be created again", want: []string{"DB-06"},
			behaviour: func(state *sync.Map) behaviour {
				return func(_ context.Context, r any, next call) (any, error) {
					if m, ok := r.(*create); ok {
						if _, deleted := state.Load(m.GetBucketId()); deleted {
							return nil, failed(codes.FailedPrecondition, "the name is not free")
						}
					}
					m, ok := r.(*remove)
					if ok {
						if _, err := next(&get{BucketId: m.GetBucketId()}); err != nil {
							return next(r)
						}
						state.Store(m.GetBucketId(), true)
					}
					return next(r)
				}
			},
		},
	}
}
