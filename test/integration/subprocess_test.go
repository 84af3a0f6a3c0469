package integration_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// role is the variable by which this program is a component instead of a test.
const role = "COSI_EMU_TEST_ROLE"

func TestMain(m *testing.M) {
	if as := os.Getenv(role); as != "" {
		if err := be(as); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctrl.SetLogger(logr.Discard()) // without a logger, its complaint would be its only output
	os.Exit(m.Run())
}

// be is a component in a process of its own, as `cosi-emu controller` and
// `cosi-emu sidecar` are, or a driver.
func be(as string) error {
	switch as {
	case "driver":
		return driveByConfig()
	case "dialect-driver":
		return driveDialect()
	}
	flags := flag.NewFlagSet(as, flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	probe := flags.String("health-probe-bind-address", "", "")
	endpoint := flags.String("endpoint", "", "")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(logr.Discard())
	cfg, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS = -1
	if as == "controller" {
		c, err := cosicontroller.New(cfg, cosicontroller.Options{HealthProbeBindAddress: *probe})
		if err != nil {
			return err
		}
		return c.Start(ctx)
	}
	s, err := cosisidecar.New(ctx, cfg, cosisidecar.Options{Endpoint: *endpoint, HealthProbeBindAddress: *probe})
	if err != nil {
		return err
	}
	return s.Start(ctx)
}

// actAs is a command line that runs this program as a component.
func actAs(as string, arguments ...string) []string {
	return append([]string{
		"env", role + "=" + as, os.Args[0], "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)",
	}, arguments...)
}

// TestKilled has processes be killed, by hand and by a fault, in the middle of a
// story that comes out well.
func TestKilled(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		ControllerCommand: actAs("controller"), SidecarCommand: actAs("sidecar", "--endpoint=$(COSI_ENDPOINT)"),
	}})
	if err := emu.Faults().Add(fault.Fault{
		Name:   "kill",
		Match:  fault.Match{Seam: journal.SeamRPC, Component: "sidecar", Operation: "DriverCreateBucket", Nth: 1},
		Effect: fault.Effect{Crash: fault.After},
	}); err != nil {
		t.Fatal(err)
	}
	user := &cluster.Cluster{TB: t, Client: emu.Client(), Namespace: emulatortest.Namespace(t)}
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: user.Namespace, Name: "c"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	user.Make(claim)
	user.WaitReady(claim)
	var steps []string
	for _, e := range emu.Journal().Since(0) {
		if e.Seam == journal.SeamProcess && e.Component == emulator.ComponentSidecar {
			steps = append(steps, e.Operation.Name)
		}
	}
	if diff := cmp.Diff([]string{"start", "ready", "crash", "start"}, steps[:min(4, len(steps))]); diff != "" {
		t.Errorf("the sidecar: -want, +got:\n%s", diff)
	}
	if !slices.ContainsFunc(emu.Journal().Since(0), func(e journal.Event) bool {
		return e.Component == emulator.ComponentController && e.Operation.Name == "create buckets" && e.Outcome == journal.OutcomeOK
	}) {
		t.Error("the requests of the controller's process do not cross the seam")
	}
	if err := emu.Component(emulator.ComponentController).Crash(); err != nil {
		t.Fatal(err)
	}
	if err := emu.Component(emulator.ComponentController).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestEndsByItself has the failure of a process be reported.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	cfg := emulatortest.Start(t, emulator.Options{NoDriver: true}).Config()
	run, err := subprocess.New(subprocess.Command{Args: []string{"false"}}, cfg, nil, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if err := run.WaitReady(t.Context()); err != nil {
		t.Errorf("WaitReady() of a command without $(PROBE_ADDRESS): %v", err)
	}
	if err := run.Start(t.Context()); err == nil {
		t.Error("Start() = nil, want the exit code of the process")
	}
}
