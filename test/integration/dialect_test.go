package integration_test

import (
	"context"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// driveDialect is a driver of an earlier dialect of v1alpha2.
func driveDialect() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	driver := &dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: func(name string) string { return "loc:" + name }}
	server := grpc.NewServer()
	driver.Register(server)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", os.Getenv(subprocess.VariableSocket))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, server.Stop)
	return server.Serve(listener)
}

// TestDialectCommand: a driver process of an earlier dialect is reached by its bridge across the
// seam, which has its messages.
func TestDialectCommand(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		DriverCommand: []string{os.Args[0]}, DriverEnv: []string{role + "=dialect-driver"},
	}})
	claim := &v1alpha2.BucketClaim{Spec: v1alpha2.BucketClaimSpec{
		BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
	}}
	claim.Name, claim.Namespace = "photos", emulatortest.Namespace(t)
	if err := emu.Client().Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the claim is ready", func(ctx context.Context) (bool, error) {
		err := emu.Client().Get(ctx, client.ObjectKeyFromObject(claim), claim)
		return claim.Status.ReadyToUse, err
	})
	created := func(e journal.Event) bool {
		return e.Component == emulator.ComponentDriver && e.Operation.Name == "DriverCreateBucket" &&
			strings.Contains(string(e.Response), `"loc:bc-`)
	}
	if !slices.ContainsFunc(emu.Journal().Since(0), created) {
		t.Error("the journal does not have the ID that the driver has chosen")
	}
}
