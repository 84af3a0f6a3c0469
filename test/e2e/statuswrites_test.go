package e2e_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// TestStatusWrites runs scenarios that bound the writes of a component on components
// that write a status too often. Each of the scenarios must see a write of a status,
// whose operation has a slash in its name.
func TestStatusWrites(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		Controller: verboseController, Sidecar: verboseSidecar,
	}})
	runs := engine.New(emu, engine.Options{Patience: 6})
	all, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	for name, seen := range map[string]string{
		"retries-are-silent":             "/status",
		"sidecar-restart-writes-nothing": "/status",
		"two-drivers":                    "patch buckets/status",
		"side-by-side":                   "patch buckets/status",
		"announced-by-an-annotation":     "patch bucketclaims/status",
		"access-before-its-claim":        "*bucketaccesses*",
		"silence":                        "/status",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(all.Scenarios, func(s *spec.Scenario) bool { return s.Name == name })
			if at < 0 {
				t.Fatal("there is no such scenario")
			}
			result := runs.Run(t.Context(), all.Scenarios[at])
			for _, failure := range result.Failures {
				bound := failure.Step != nil && (failure.Step.Never != nil || failure.Step.Calls != nil)
				if bound && strings.Contains(failure.Message, seen) {
					return
				}
			}
			t.Errorf("%s: the scenario does not see the writes of a status: %v", result.Outcome, result.Failures)
		})
	}
}

func verboseController(cfg *rest.Config, log logr.Logger) (emulator.Runner, error) {
	product, err := cosicontroller.New(cfg, cosicontroller.Options{Logger: log})
	if err != nil {
		return nil, err
	}
	return verboseOf(product, cfg, &v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{})
}

func verboseSidecar(ctx context.Context, cfg *rest.Config, to emulator.SidecarConnection, log logr.Logger) (emulator.Runner, error) {
	v, err := verboseOf(nil, cfg, &v1alpha2.BucketList{})
	if err != nil {
		return nil, err
	}
	// It goes before the emulator's own, as the emulator fails calls without sending them.
	interceptor := grpc.WithChainUnaryInterceptor(v.call)
	v.Runner, err = cosisidecar.New(ctx, cfg, cosisidecar.Options{
		Endpoint: to.Endpoint, DialOptions: append([]grpc.DialOption{interceptor}, to.DialOptions...), Logger: log,
	})
	return v, errors.Join(err, v.writeAll(ctx))
}

// verbose is the product's component. It also writes the status of every object of its
// scenario that a watch tells it of. A sidecar does the same for every Bucket when it
// starts, and after a call that fails. The writes change nothing.
type verbose struct {
	emulator.Runner

	client  client.WithWatch
	watched []client.ObjectList
	driver  atomic.Value // the name of a sidecar's driver
}

func verboseOf(product emulator.Runner, cfg *rest.Config, watched ...client.ObjectList) (*verbose, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // the writes must not wait for each other
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	return &verbose{Runner: product, client: c, watched: watched}, err
}

// Start implements emulator.Runner.
func (v *verbose) Start(ctx context.Context) error {
	var writes sync.WaitGroup
	defer writes.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, list := range v.watched {
		watched, err := v.client.Watch(ctx, list)
		if err != nil {
			return err
		}
		writes.Go(func() {
			defer watched.Stop()
			for event := range watched.ResultChan() {
				if object, ok := event.Object.(client.Object); ok {
					writes.Go(func() { v.write(ctx, object) })
				}
			}
		})
	}
	return v.Runner.Start(ctx)
}

// write asks for two writes at most, which are in the journal whatever comes of them.
func (v *verbose) write(ctx context.Context, object client.Object) {
	nothing := client.RawPatch(types.MergePatchType, []byte(`{}`))
	bucket, isBucket := object.(*v1alpha2.Bucket)
	if !isBucket {
		_ = v.client.Status().Patch(ctx, object, nothing)
		return
	}
	of, driver := bucket.Spec.BucketClaimRef, v.driver.Load()
	if name, _ := driver.(string); name != bucket.Spec.DriverName && !strings.HasSuffix(name, "."+of.Namespace) {
		return // it is of another scenario
	}
	_ = v.client.Status().Patch(ctx, bucket, nothing)
	claim := &v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}
	_ = v.client.Status().Patch(ctx, claim, nothing) // which no sidecar may
}

// call is a gRPC interceptor.
func (v *verbose) call(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	failed := invoke(ctx, method, request, reply, conn, opts...)
	if failed == nil {
		if info, ok := reply.(*cosiv1alpha2.DriverGetInfoResponse); ok {
			v.driver.Store(info.GetName())
		}
		return nil
	}
	return errors.Join(failed, v.writeAll(ctx))
}

func (v *verbose) writeAll(ctx context.Context) error {
	var all v1alpha2.BucketList
	err := v.client.List(ctx, &all)
	for i := range all.Items {
		v.write(ctx, &all.Items[i])
	}
	return err
}
