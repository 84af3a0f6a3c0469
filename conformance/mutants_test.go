package conformance_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Shorter names of the messages.
type (
	create  = cosiv1alpha2.DriverCreateBucketRequest
	created = cosiv1alpha2.DriverCreateBucketResponse
	remove  = cosiv1alpha2.DriverDeleteBucketRequest
	removed = cosiv1alpha2.DriverDeleteBucketResponse
	grant   = cosiv1alpha2.DriverGrantBucketAccessRequest
	granted = cosiv1alpha2.DriverGrantBucketAccessResponse
	revoke  = cosiv1alpha2.DriverRevokeBucketAccessRequest
	revoked = cosiv1alpha2.DriverRevokeBucketAccessResponse
	getInfo = cosiv1alpha2.DriverGetInfoResponse
)

// call calls the driver below a mistake.
type call func(request any) (any, error)

// mistake is what a driver does wrong: it answers a request, with or without the driver
// below.
type mistake func(ctx context.Context, request any, next call) (any, error)

// mutant is a faulty driver.
type mutant struct {
	name string
	// class is the failure of drivers that the mutant has.
	class      string
	generation fakedriver.Generation
	// make returns the mistake of a new process.
	make func() mistake
	// want are all checks that fail.
	want []string
}

// always is a mistake without state.
func always(m mistake) func() mistake { return func() mistake { return m } }

// exists returns whether a name was there before, and adds it.
func exists(names *sync.Map, name string) bool {
	_, known := names.LoadOrStore(name, true)
	return known
}

func failed(code codes.Code, message string) error { return status.Error(code, message) }

func mutants() []mutant {
	return slices.Concat(idempotencyMutants(), validationMutants(), codeMutants(), dataMutants(), concurrencyMutants(), oldMutants())
}

func idempotencyMutants() []mutant {
	return []mutant{
		{name: "right", make: always(func(_ context.Context, r any, next call) (any, error) { return next(r) })},
		{
			name: "repeated Create already exists", class: "D01", want: []string{"CB-04", "CC-01", "CC-02", "LF-01", "LF-10"},
			make: func() mistake {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*create); ok && err == nil && exists(&shared, m.GetBucketId()) {
						return nil, failed(codes.AlreadyExists, "the bucket exists")
					}
					if m, ok := r.(*remove); ok {
						shared.Delete(m.GetBucketId())
					}
					return response, err
				}
			},
		},
		{
			name: "repeated Create has no protocols", class: "D01", want: []string{"CB-05"},
			make: func() mistake {
				var names sync.Map
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*create); ok && err == nil && exists(&names, m.GetBucketId()) {
						return &created{}, nil
					}
					return response, err
				}
			},
		},
		{
			name: "Create does not compare parameters", class: "D02", want: []string{"CB-10"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*create); ok && m.GetParameters()["note"] != "" {
					m.Parameters["note"] = "all"
				}
				return next(r)
			}),
		},
		{
			name: "repeated Grant fails", class: "D03", want: []string{"CC-04", "GR-06", "LF-02", "LF-11", "MB-02"},
			make: func() mistake {
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := r.(*grant); ok && err == nil && exists(&shared, m.GetAccountId()) {
						return nil, failed(codes.Internal, "the user exists")
					}
					if m, ok := r.(*revoke); ok {
						shared.Delete(m.GetAccountId())
					}
					return response, err
				}
			},
		},
		{
			name: "repeated Delete is not found", class: "D04", want: []string{"CC-03", "DB-03", "DB-04", "LF-03"},
			make: func() mistake {
				return func(_ context.Context, r any, next call) (any, error) {
					m, isDelete := r.(*remove)
					if isDelete && m.GetBucketId() != "" {
						if _, err := next(&cosiv1alpha2.DriverGetBucketRequest{BucketId: m.GetBucketId()}); err != nil {
							return nil, failed(codes.NotFound, "no such bucket")
						}
					}
					return next(r)
				}
			},
		},
		{
			name: "in-memory idempotency", class: "D06", want: []string{"LF-10"},
			make: func() mistake {
				var names sync.Map
				return func(_ context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					_, err := next(&cosiv1alpha2.DriverGetBucketRequest{BucketId: m.GetBucketId()})
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

// shared is state of the backend, which outlives processes.
var shared sync.Map

func validationMutants() []mutant {
	return []mutant{
		{
			name: "empty bucket ID accepted by Delete", class: "D10", want: []string{"DB-05"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*remove); ok && m.GetBucketId() == "" {
					return &removed{}, nil
				}
				return next(r)
			}),
		},
		{
			name: "empty bucket ID accepted by Create", class: "D10", want: []string{"CB-13"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*create); ok && m.GetBucketId() == "" {
					return &created{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}}, nil
				}
				return next(r)
			}),
		},
		{
			name: "Grant on an unknown bucket", class: "D11", want: []string{"GR-20"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if _, ok := r.(*grant); ok && status.Code(err) == codes.NotFound {
					return &granted{}, nil
				}
				return response, err
			}),
		},
		{
			name: "unknown authentication type accepted", class: "D12", want: []string{"GR-22"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*grant); ok {
					m.AuthenticationType = &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY}
				}
				return next(r)
			}),
		},
		{
			name: "unknown access mode widened", class: "D12", want: []string{"GR-25"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*grant); ok {
					for _, b := range m.GetBuckets() {
						if mode := b.GetObjectDataAccessMode().GetMode(); mode == 0 || mode > 4 {
							b.ObjectDataAccessMode = &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
						}
					}
				}
				return next(r)
			}),
		},
		{
			name: "long names are cut", class: "D19", want: []string{"GA-04"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := response.(*cosiv1alpha2.DriverGenerateBucketAccessIdResponse); ok && err == nil {
					m.AccountId = m.GetAccountId()[:min(63, len(m.GetAccountId()))]
				}
				return response, err
			}),
		},
		{
			name: "invalid characters in IDs", class: "D19", want: []string{"GA-01"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*grant); ok {
					m.AccountId = strings.ReplaceAll(m.GetAccountId(), ":", "/")
				}
				if m, ok := r.(*revoke); ok {
					m.AccountId = strings.ReplaceAll(m.GetAccountId(), ":", "/")
				}
				response, err := next(r)
				if m, ok := response.(*cosiv1alpha2.DriverGenerateBucketAccessIdResponse); ok && err == nil {
					m.AccountId = "user:" + m.GetAccountId()
				}
				return response, err
			}),
		},
		{
			name: "invalid name", want: []string{"ID-01"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := response.(*getInfo); ok && err == nil {
					m.Name = "My driver!"
				}
				return response, err
			}),
		},
	}
}

func codeMutants() []mutant {
	return []mutant{
		{
			name: "bad arguments are Internal", class: "D13", want: []string{"CB-14", "GA-06", "GB-06", "GR-23", "GR-27"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.InvalidArgument {
					return nil, failed(codes.Internal, "failed")
				}
				return response, err
			}),
		},
		{
			name: "plain errors", class: "D13", want: []string{"GE-02", "LF-20"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if status.Code(err) == codes.NotFound {
					return nil, failed(codes.Unknown, "no such thing")
				}
				return response, err
			}),
		},
		{
			name: "Delete does nothing", class: "D14", want: []string{"DB-02", "LF-12"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*remove); ok && m.GetBucketId() != "" {
					return &removed{}, nil
				}
				return next(r)
			}),
		},
		{
			name: "secrets in error messages", class: "D21", want: []string{"SA-20"},
			make: func() mistake {
				var last atomic.Value
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*granted); ok && err == nil {
						last.Store(m.GetCredentials().GetS3().GetAccessSecretKey())
					}
					if secret, ok := last.Load().(string); ok && status.Code(err) == codes.InvalidArgument {
						return nil, failed(codes.InvalidArgument, "failed with key "+secret)
					}
					return response, err
				}
			},
		},
	}
}

func dataMutants() []mutant {
	return []mutant{
		{
			name: "Revoke does nothing", class: "D15", want: []string{"SA-02"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*revoke); ok && m.GetAccountId() != "" {
					return &revoked{}, nil
				}
				return next(r)
			}),
		},
		{
			name: "one key for all", class: "D16", want: []string{"CC-05", "MB-03", "SA-01", "SA-03"},
			make: func() mistake {
				var mu sync.Mutex
				var first *cosiv1alpha2.CredentialInfo
				return func(_ context.Context, r any, next call) (any, error) {
					response, err := next(r)
					if m, ok := response.(*granted); ok && err == nil {
						mu.Lock()
						defer mu.Unlock()
						if first == nil {
							first, _ = proto.Clone(m.GetCredentials()).(*cosiv1alpha2.CredentialInfo)
						}
						m.Credentials, _ = proto.Clone(first).(*cosiv1alpha2.CredentialInfo)
					}
					return response, err
				}
			},
		},
		{
			name: "read-only can write", class: "D17", want: []string{"AM-02", "AM-03"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*grant); ok {
					for _, b := range m.GetBuckets() {
						if b.GetObjectDataAccessMode().GetMode() == cosiv1alpha2.AccessMode_READ_ONLY {
							b.ObjectDataAccessMode = &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
						}
					}
				}
				return next(r)
			}),
		},
		{
			name: "adopts a bucket of others", class: "D18", want: []string{"CB-18"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*create); ok && m.GetBucketId() == existing {
					return &created{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}}, nil
				}
				return next(r)
			}),
		},
	}
}

func concurrencyMutants() []mutant {
	return []mutant{
		{
			name: "dies in a burst", class: "D09", want: []string{"CC-06"},
			make: func() mistake {
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
			name: "simultaneous Creates of one bucket fail", class: "D07", want: []string{"CC-02"},
			make: func() mistake {
				var busy sync.Map
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					if exists(&busy, m.GetBucketId()) {
						return nil, failed(codes.Internal, "conflict")
					}
					defer busy.Delete(m.GetBucketId())
					together(context.WithoutCancel(ctx))
					return next(r)
				}
			},
		},
		{
			name: "simultaneous Grants lose policies", class: "D08", want: []string{"CC-05"},
			make: func() mistake {
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
					if g, ok := response.(*granted); ok && err == nil && !first && m.GetAccountId() != "" {
						g.Credentials.S3.AccessSecretKey += "lost"
					}
					return response, err
				}
			},
		},
		{
			name: "a Grant that was cancelled leaks its user", class: "D05", want: []string{"LF-02"},
			make: func() mistake {
				var leaked sync.Map
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*grant)
					if !ok {
						return next(r)
					}
					if deadline, ok := ctx.Deadline(); ok && isShort(deadline) {
						leaked.Store(m.GetAccountId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					if _, ok := leaked.Load(m.GetAccountId()); ok {
						return nil, failed(codes.Internal, "the user exists")
					}
					return next(r)
				}
			},
		},
		{
			name: "Revoke reads the bucket", class: "D24", want: []string{"RV-05"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				if m, ok := r.(*revoke); ok {
					for _, b := range m.GetBuckets() {
						if _, err := next(&cosiv1alpha2.DriverGetBucketRequest{BucketId: b.GetBucketId()}); err != nil {
							return nil, failed(codes.Internal, "the bucket is not there")
						}
					}
				}
				return next(r)
			}),
		},
		{
			name: "empty generated account ID", class: "D20", want: []string{"GA-01", "GA-03", "GA-04"},
			make: always(func(_ context.Context, r any, next call) (any, error) {
				response, err := next(r)
				if m, ok := response.(*cosiv1alpha2.DriverGenerateBucketAccessIdResponse); ok && err == nil {
					m.AccountId = ""
				}
				return response, err
			}),
		},
		{
			name: "cancelled call holds its lock", class: "D23", want: []string{"LF-01"},
			make: func() mistake {
				var locked sync.Map
				return func(ctx context.Context, r any, next call) (any, error) {
					m, ok := r.(*create)
					if !ok {
						return next(r)
					}
					if _, held := locked.Load(m.GetBucketId()); held {
						return nil, failed(codes.Internal, "the bucket is locked")
					}
					if deadline, ok := ctx.Deadline(); ok && m.GetBucketId() != "" && isShort(deadline) {
						locked.Store(m.GetBucketId(), true)
						return nil, failed(codes.DeadlineExceeded, "too late")
					}
					return next(r)
				}
			},
		},
	}
}

// together waits until simultaneous calls have arrived.
func together(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	<-ctx.Done()
}

// oldMutants are drivers of v1alpha1.
func oldMutants() []mutant {
	old := func(name, class string, start func() mistake, want ...string) mutant {
		return mutant{name: "v1alpha1: " + name, class: class, generation: fakedriver.V1alpha1, make: start, want: want}
	}
	response := func(change func(*cosiv1alpha1.DriverGrantBucketAccessResponse)) func() mistake {
		return always(func(_ context.Context, r any, next call) (any, error) {
			response, err := next(r)
			if m, ok := response.(*cosiv1alpha1.DriverGrantBucketAccessResponse); ok && err == nil {
				change(m)
			}
			return response, err
		})
	}
	return []mutant{
		old("empty account ID", "D20", response(func(m *cosiv1alpha1.DriverGrantBucketAccessResponse) { m.AccountId = "" }),
			"GR-02"),
		old("misspelt keys", "D25", response(func(m *cosiv1alpha1.DriverGrantBucketAccessResponse) {
			secrets := m.GetCredentials()["s3"].GetSecrets()
			secrets["access_key"] = secrets["accessKeyID"]
			delete(secrets, "accessKeyID")
		}), "GR-04"),
		old("misspelt protocol", "D25", response(func(m *cosiv1alpha1.DriverGrantBucketAccessResponse) {
			m.GetCredentials()["S3"] = m.GetCredentials()["s3"]
			delete(m.GetCredentials(), "s3")
		}), "GR-03", "GR-04"),
	}
}

// interceptor makes a mistake in the calls of a driver.
func interceptor(start func() mistake) func() grpc.UnaryServerInterceptor {
	return func() grpc.UnaryServerInterceptor {
		wrong := start()
		return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			return wrong(ctx, request, func(r any) (any, error) {
				if get, ok := r.(*cosiv1alpha2.DriverGetBucketRequest); ok && request != r {
					return info.Server.(cosiv1alpha2.ProvisionerServer).DriverGetBucket(ctx, get) //nolint:forcetypeassert // it is
				}
				return handler(ctx, r)
			})
		}
	}
}

// TestMutants: each faulty driver fails the checks that are about its mistake, and no others.
func TestMutants(t *testing.T) {
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			d := serve(t, fakedriver.Options{Generation: m.generation}, interceptor(m.make))
			report, err := conformance.Execute(t.Context(), d.config())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			caught := m.class == ""
			for _, result := range report.Results {
				if result.State != conformance.Fail {
					continue
				}
				got = append(got, result.Check.ID)
				caught = caught || slices.Contains(result.Check.Classes, m.class)
				if !slices.Contains(m.want, result.Check.ID) {
					t.Log(result.Explain())
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(m.want, got); diff != "" {
				t.Errorf("failed checks: -want, +got:\n%s", diff)
			}
			if !caught {
				t.Errorf("no failed check names class %s", m.class)
			}
		})
	}
}

// isShort returns whether a call has a deadline that the suite gives only to calls that it
// cancels.
func isShort(deadline time.Time) bool { return time.Until(deadline) < 100*time.Millisecond }
