package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestBridge uses a bucket of the fake driver behind a bridge, and checks that the driver receives
// nothing that only v1alpha2 has.
func TestBridge(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Dialect: dialects.V1alpha1})
	if !isBridged(emu) {
		t.Error("the driver is not behind a bridge")
	}
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	if err := openBucket(s.secret()).put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatal(err)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()

	asked := map[string]map[string]bool{emulator.ComponentSidecar: {}, emulator.ComponentDriver: {}}
	for _, e := range emu.Journal().Since(0) {
		if methods := asked[e.Component]; methods != nil && e.Seam == journal.SeamRPC {
			methods[e.Operation.Name] = true
		}
	}
	methods := map[string]bool{
		"DriverCreateBucket": true, "DriverDeleteBucket": true, "DriverGrantBucketAccess": true,
		"DriverRevokeBucketAccess": true, "DriverGetInfo": true,
	}
	want := map[string]map[string]bool{emulator.ComponentDriver: methods, emulator.ComponentSidecar: {
		"DriverGenerateBucketId": true, "DriverGenerateBucketAccessId": true,
	}}
	for name := range methods {
		want[emulator.ComponentSidecar][name] = true
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
}

// TestAssumeExisting brings in an existing bucket of a driver of v1alpha1. With the option, its
// bridge uses the bucket without a check; otherwise the Bucket's condition names the remedy.
func TestAssumeExisting(t *testing.T) {
	t.Parallel()
	for _, assumed := range []bool{true, false} {
		t.Run(fmt.Sprint(assumed), func(t *testing.T) {
			t.Parallel()
			var backend fakedriver.Backend
			endpoint := drivertest.ServeFake(t, "old.test", "http://127.0.0.1:1", func(o *fakedriver.Options) {
				o.Dialect, backend = dialects.V1alpha1, o.Backend
			})
			if _, err := backend.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "legacy", Owner: "admin"}); err != nil {
				t.Fatal(err)
			}
			emu := emulatortest.Start(t, emulator.Options{Driver: endpoint, AssumeExisting: assumed})
			s := newStory(t, emu)
			bucket := s.bringIn("legacy")
			s.create(s.claim, s.access)
			if !assumed {
				waitProvisionFailed(t, emu, bucket, "--assume-existing")
				return
			}
			s.waitReady()
			if got := s.secret()[v1alpha2.SecretKeyBucketName]; got != "legacy" {
				t.Errorf("the application gets bucket %q, want %q", got, "legacy")
			}
		})
	}
}

// waitProvisionFailed waits until the condition of a Bucket has a text.
func waitProvisionFailed(t *testing.T, emu *emulator.Emulator, bucket *v1alpha2.Bucket, text string) {
	t.Helper()
	harness.Eventually(t, "the Bucket says "+text, func(ctx context.Context) error {
		if err := emu.Client().Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
			return err
		}
		failed := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed)
		if failed == nil || !strings.Contains(failed.Message, text) {
			return fmt.Errorf("conditions %+v", bucket.Status.Conditions)
		}
		return nil
	})
}

// TestAssumeExistingWithoutBridge: a driver of v1alpha2 looks existing buckets up itself, and the
// emulator warns that the option has no effect.
func TestAssumeExistingWithoutBridge(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{
		Driver: drivertest.ServeFake(t, "new.test", "http://127.0.0.1:1"), AssumeExisting: true,
	})
	says := func(warning string) bool {
		return strings.Contains(warning, "driver new.test serves COSI v1alpha2, so it has no bridge")
	}
	if warnings := emu.Info().Warnings; !slices.ContainsFunc(warnings, says) {
		t.Errorf("warnings: %q", warnings)
	}
}

// TestDialect uses a bucket of a driver of an earlier dialect of v1alpha2: a claim, an access, its
// Secret, and the deletion of all.
func TestDialect(t *testing.T) {
	t.Parallel()
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: func(name string) string { return "loc:" + name }}
	emu := emulatortest.Start(t, emulator.Options{Driver: driver.Listen(t)})
	if got := emu.Info().DriverDialect; !isBridged(emu) || got != string(dialects.OneMode) {
		t.Errorf("behind a bridge: %t, dialect %q, want %q behind a bridge", isBridged(emu), got, dialects.OneMode)
	}
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	secret, modes := s.secret(), driver.Modes()
	if key := secret[v1alpha2.SecretKeyS3AccessKeyID]; !strings.HasPrefix(key, "key-of-loc:ba-") {
		t.Errorf("the application gets the key %q, want the driver's", key)
	}
	if bucket := secret[v1alpha2.SecretKeyBucketName]; !strings.HasPrefix(bucket, "s3-loc:bc-") {
		t.Errorf("the application gets the bucket %q, want the driver's", bucket)
	}
	if len(modes) != 1 || !slices.Contains(slices.Collect(maps.Values(modes)), "READ_WRITE") {
		t.Errorf("modes %v, want READ_WRITE", modes)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()
	if left := driver.Left(); left != nil {
		t.Errorf("left at the driver: %v", left)
	}
	wantBridgeLog(t, emu, dialects.OneMode)
}

// TestDialectOption: the emulator does not ask a driver whose dialect is given.
func TestDialectOption(t *testing.T) {
	t.Parallel()
	driver := &dialectdriver.Driver{Dialect: dialects.NoModes}
	emu := emulatortest.Start(t, emulator.Options{Driver: driver.Listen(t), Dialect: dialects.NoModes})
	if got := emu.Info().DriverDialect; got != string(dialects.NoModes) {
		t.Errorf("dialect %q, want %q", got, dialects.NoModes)
	}
	_, err := emulator.Start(t.Context(), emulator.Options{Driver: "unix:///tmp/d.sock", Dialect: "m"})
	if !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("error %v for an unknown dialect", err)
	}
}

// TestDialectOfOwnSidecar: a sidecar of the user's own is connected to a driver of an earlier dialect
// of v1alpha2 without a bridge, to the fake driver and to an external driver.
func TestDialectOfOwnSidecar(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"Fake":     {Dialect: dialects.BucketIDs},
		"External": {Driver: (&dialectdriver.Driver{Dialect: dialects.BucketIDs}).Listen(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connected := make(chan emulator.SidecarConnection, 1)
			options.Implementations.Sidecar = func(
				_ context.Context, _ *rest.Config, connection emulator.SidecarConnection, _ logr.Logger,
			) (emulator.Runner, error) {
				connected <- connection
				return harness.Inactive{}, nil
			}
			emu := emulatortest.Start(t, options)
			if got := emu.Info().DriverDialect; isBridged(emu) || got != string(dialects.BucketIDs) {
				t.Errorf("behind a bridge: %t, dialect %q, want %q without a bridge", isBridged(emu), got, dialects.BucketIDs)
			}
			connection := <-connected
			conn, err := grpc.NewClient(connection.Endpoint,
				append(connection.DialOptions, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if got, err := dialects.Detect(t.Context(), conn); err != nil || got != dialects.BucketIDs {
				t.Errorf("Detect() over the sidecar's connection = %q, %v, want %q", got, err, dialects.BucketIDs)
			}
		})
	}
}

// isBridged reports whether the emulator's driver is behind a bridge.
func isBridged(emu *emulator.Emulator) bool { return emu.Component(emulator.ComponentBridge) != nil }
