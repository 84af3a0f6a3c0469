package conformance_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/internal/driverserver/outage"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// unavailable changes a driver's responses to some requests while its backend fails.
func unavailable(isIt func(any) bool, response any, err error) func(*sync.Map) behaviour {
	return always(func(_ context.Context, r any, next call) (any, error) {
		answer, got := next(r)
		if isIt(r) && status.Code(got) == codes.Unavailable {
			return response, err
		}
		return answer, got
	})
}

func isA[T any](r any) bool { _, ok := r.(T); return ok }

// remembered is a driver that repeats its earlier responses from memory, until the bucket or
// account is deleted.
func remembered(request, deletion func(any) string) func(*sync.Map) behaviour {
	return func(*sync.Map) behaviour {
		var answers sync.Map
		return func(_ context.Context, r any, next call) (any, error) {
			answers.Delete(deletion(r))
			id := request(r)
			if answer, ok := answers.Load(id); ok && id != "" {
				return answer, nil
			}
			answer, err := next(r)
			if err == nil && id != "" {
				answers.Store(id, answer)
			}
			return answer, err
		}
	}
}

// gone is a driver that answers NotFound to a request for a bucket that the backend has lost.
func gone(isIt func(any) (bucket string, ok bool)) func(*sync.Map) behaviour {
	return func(*sync.Map) behaviour {
		var own sync.Map
		return func(_ context.Context, r any, next call) (any, error) {
			if m, ok := r.(*create); ok {
				own.Store(m.GetBucketId(), true)
			}
			bucket, ok := isIt(r)
			if _, mine := own.Load(bucket); ok && mine {
				if _, err := next(fakeGet(bucket)); status.Code(err) == codes.NotFound {
					return nil, failed(codes.NotFound, "no such bucket")
				}
			}
			answer, err := next(r)
			if m, ok := r.(*remove); ok && err == nil {
				own.Delete(m.GetBucketId())
			}
			return answer, err
		}
	}
}

func bucketOfDeletion(r any) string { m, _ := r.(*remove); return m.GetBucketId() }

// half is a driver that does not know how to go on after a step that failed.
func half(isIt func(any) (string, bool), again func() (any, error)) func(*sync.Map) behaviour {
	return func(*sync.Map) behaviour {
		var begun sync.Map
		return func(_ context.Context, r any, next call) (any, error) {
			id, ok := isIt(r)
			if !ok {
				return next(r)
			}
			if _, known := begun.LoadOrStore(id, true); known {
				return again()
			}
			together(context.Background()) // the step that takes time
			response, err := next(r)
			if err == nil {
				begun.Delete(id)
			}
			return response, err
		}
	}
}

// early is a driver that grants an access when it generates its ID, and needs no backend to grant it.
func early(*sync.Map) behaviour {
	var grants sync.Map
	return func(_ context.Context, r any, next call) (any, error) {
		switch m := r.(type) {
		case *account:
			named, err := next(r)
			if err != nil {
				return nil, err
			}
			id := named.(*accountIs).GetAccountId() //nolint:forcetypeassert // it is
			access, err := next(&grant{
				AccountId: id, Protocol: m.GetProtocol(), AuthenticationType: m.GetAuthenticationType(), Parameters: m.GetParameters(),
				ServiceAccountName: m.GetServiceAccountName(), Buckets: m.GetBuckets(),
			})
			if err == nil {
				grants.Store(id, access)
			}
			return named, nil
		case *grant:
			if access, ok := grants.LoadAndDelete(m.GetAccountId()); ok {
				return access, nil
			}
		}
		return next(r)
	}
}

func backendMutants() []mutant {
	itExists := func() (any, error) { return nil, failed(codes.Internal, "it exists") }
	return []mutant{
		{name: "right", behaviour: always(passOn)},
		{
			name: "Get from memory", class: "D14", want: []string{"BE-01"},
			behaviour: remembered(func(r any) string { m, _ := r.(*get); return m.GetBucketId() }, bucketOfDeletion),
		},
		{
			name: "Delete of a lost bucket is not found", class: "D04", want: []string{"BE-02"},
			behaviour: gone(func(r any) (string, bool) { m, ok := r.(*remove); return m.GetBucketId(), ok }),
		},
		{
			name: "Revoke in a lost bucket is not found", class: "D04", want: []string{"BE-03"},
			behaviour: gone(func(r any) (string, bool) {
				m, ok := r.(*revoke)
				if !ok || len(m.GetBuckets()) == 0 {
					return "", false
				}
				return m.GetBuckets()[0].GetBucketId(), true
			}),
		},
		{
			name: "Grant on a lost bucket", class: "D11", want: []string{"BE-04"},
			behaviour: always(func(_ context.Context, r any, next call) (any, error) {
				answer, err := next(r)
				if isA[*grant](r) && status.Code(err) == codes.NotFound {
					return &granted{Credentials: &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{}}}, nil
				}
				return answer, err
			}),
		},
		{
			name: "Create from memory", class: "D14", want: []string{"BE-05"},
			behaviour: remembered(func(r any) string { m, _ := r.(*create); return m.GetBucketId() }, bucketOfDeletion),
		},
		{
			name: "Create drops the backend's error", class: "D14", want: []string{"BE-10"},
			behaviour: unavailable(isA[*create], &created{Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{}}, nil),
		},
		{
			name: "Delete drops the backend's error", class: "D14", want: []string{"BE-11"},
			behaviour: unavailable(isA[*remove], &removed{}, nil),
		},
		{name: "Grant drops the backend's error", class: "D14", want: []string{"BE-12"}, behaviour: unavailable(isA[*grant], &granted{}, nil)},
		{
			name: "Revoke drops the backend's error", class: "D15", want: []string{"BE-13"},
			behaviour: unavailable(isA[*revoke], &revoked{}, nil),
		},
		{
			name: "an outage is NotFound", class: "D14", want: []string{"BE-14"},
			behaviour: unavailable(isA[*get], (*got)(nil), failed(codes.NotFound, "no such bucket")),
		},
		{
			name: "an outage is InvalidArgument", class: "D13", want: []string{"BE-15"},
			behaviour: unavailable(isA[*create], (*created)(nil), failed(codes.InvalidArgument, "failed")),
		},
		{
			name: "an outage is InvalidArgument for a deletion", class: "D13", want: []string{"BE-15"},
			behaviour: unavailable(isA[*remove], (*removed)(nil), failed(codes.InvalidArgument, "failed")),
		},
		{name: "an access exists since it has its ID", class: "D11", want: []string{"BE-04"}, behaviour: early}, // not BE-12
		{
			name: "half a bucket", class: "D05", want: []string{"BE-16", "BE-20"},
			behaviour: half(func(r any) (string, bool) { m, ok := r.(*create); return m.GetBucketId(), ok }, itExists),
		},
		{
			name: "half an access", class: "D05", want: []string{"BE-21", "BE-22"},
			behaviour: half(func(r any) (string, bool) { m, ok := r.(*grant); return m.GetAccountId(), ok }, itExists),
		},
		{
			name: "half a revocation", class: "D05", want: []string{"BE-23"},
			behaviour: half(func(r any) (string, bool) { m, ok := r.(*revoke); return m.GetAccountId(), ok },
				func() (any, error) { return &revoked{}, nil }),
		},
	}
}

// outages are the files of an outage directory, written by this process: a script would start after
// the call that it is to disturb, on a busy machine. It is a conformance.Backend.
type outages string

func (o outages) Lose(_ context.Context, bucket string) error {
	return o.write(filepath.Join(outage.DirLose, bucket))
}

func (o outages) Fail(context.Context) error { return o.write(outage.FileFail) }

func (o outages) Heal(context.Context) error {
	if err := os.Remove(filepath.Join(string(o), outage.FileFail)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (o outages) write(name string) error {
	file := filepath.Join(string(o), name)
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600))
}

// TestBackendMutants: each faulty driver fails the checks of backends that are about its
// mistake, and no others.
func TestBackendMutants(t *testing.T) {
	t.Parallel()
	for _, m := range backendMutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			backend := outages(filepath.Join(t.TempDir(), "outage"))
			d := serve(t, setup{behaviour: m.behaviour, outages: string(backend)})
			config := d.config()
			config.Backend = backend
			for _, check := range conformance.Checks() {
				if strings.HasPrefix(check.ID, "BE-") {
					config.Only = append(config.Only, check.ID)
				}
			}
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			expectFailed(t, report, m.class, m.want)
		})
	}
}

// TestBackendBroken: an outage that a driver does not survive is found.
func TestBackendBroken(t *testing.T) {
	t.Parallel()
	backend := outages(filepath.Join(t.TempDir(), "outage"))
	broken := func(*sync.Map) behaviour {
		var lost atomic.Bool
		return func(_ context.Context, r any, next call) (any, error) {
			answer, err := next(r)
			if status.Code(err) == codes.Unavailable {
				lost.Store(true)
			}
			if lost.Load() {
				return nil, failed(codes.Unavailable, "no connection to the backend")
			}
			return answer, err
		}
	}
	config := serve(t, setup{behaviour: broken, outages: string(backend)}).config()
	config.Backend, config.Only = backend, []string{"BE-16"}
	config.Timeout, config.CallTimeout = 5*time.Second, 5*time.Second
	report, err := conformance.Execute(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	expectFailed(t, report, "D09", []string{"BE-16"})
}

// TestBackendCommand: a command that has no action, or that fails, decides no check.
func TestBackendCommand(t *testing.T) {
	d := serve(t, setup{})
	for name, tc := range map[string]struct{ script, state, reason string }{
		"no action": {"exit 64", conformance.NotSupported, "does not support this"},
		"fails":     {"echo 'no mc' >&2; exit 1", conformance.NotReached, "no mc"},
	} {
		t.Run(name, func(t *testing.T) {
			config := d.config()
			config.Backend = conformance.BackendCommand([]string{"sh", "-c", tc.script})
			config.Only = []string{"BE-02", "BE-10", "BE-21"}
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			for _, result := range report.Results {
				if result.State != tc.state || !strings.Contains(result.Reason, tc.reason) {
					t.Errorf("%s: %s (%s), want %s (%s)", result.Check.ID, result.State, result.Reason, tc.state, tc.reason)
				}
			}
		})
	}
}

// TestHealed: the backend works again after a check that failed in the middle of an outage.
func TestHealed(t *testing.T) {
	outages := scripts(filepath.Join(t.TempDir(), "outage"))
	wrong := unavailable(isA[*create], nil, failed(codes.InvalidArgument, "no"))
	config := serve(t, setup{behaviour: wrong, outages: string(outages)}).config()
	config.Backend, config.Only = conformance.BackendCommand(outages.command()), []string{"BE-15"}
	report, err := conformance.Execute(t.Context(), config)
	if err != nil || len(report.Results) != 1 || report.Results[0].State != conformance.Fail {
		t.Fatalf("Execute() = %v, %v, want BE-15 to fail", report, err)
	}
	if _, err := os.Stat(filepath.Join(string(outages), outage.FileFail)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the outage goes on: %v", err)
	}
}
