package integration_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// readingDriver is a driver of both generations of COSI that takes its name from a
// ConfigMap.
type readingDriver struct {
	cosiv1alpha2.UnimplementedIdentityServer

	name string
}

// DriverGetInfo implements cosiv1alpha2.IdentityServer.
func (d *readingDriver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name: d.name, SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
	}, nil
}

// olderDriver is the same driver in the older generation.
type olderDriver struct {
	cosiv1alpha1.UnimplementedIdentityServer

	name string
}

// DriverGetInfo implements cosiv1alpha1.IdentityServer.
func (d *olderDriver) DriverGetInfo(context.Context, *cosiv1alpha1.DriverGetInfoRequest) (*cosiv1alpha1.DriverGetInfoResponse, error) {
	return &cosiv1alpha1.DriverGetInfoResponse{Name: d.name}, nil
}

// driveByConfig is a driver that reads its configuration from Kubernetes before it listens.
func driveByConfig() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv(subprocess.VariableKubeconfig))
	if err != nil {
		return err
	}
	settings, err := readSettings(ctx, cfg, os.Getenv(subprocess.VariablePodNamespace))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "configured by", settings.Name); err != nil {
		return err
	}
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, &readingDriver{name: settings.Data["name"]})
	cosiv1alpha1.RegisterIdentityServer(server, &olderDriver{name: settings.Data["name"]})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", os.Getenv(subprocess.VariableSocket))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, server.Stop)
	return server.Serve(listener)
}

func readSettings(ctx context.Context, cfg *rest.Config, namespace string) (*corev1.ConfigMap, error) {
	scheme, err := emulator.NewScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	settings := &corev1.ConfigMap{}
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "kube-root-ca.crt"}, settings)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	settings.Name, settings.Data = namespace, map[string]string{"name": "reading.example.com"}
	if err := c.List(ctx, &v1alpha2.BucketList{}); err != nil {
		return nil, err
	}
	if err := c.List(ctx, &corev1.SecretList{}); err != nil {
		return nil, err
	}
	own := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "of-a-driver"}}
	if err := c.Create(ctx, own); !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("Create() = %w, want Forbidden", err)
	}
	return settings, nil
}

// TestDriver runs a driver that reads Kubernetes objects before it answers. Its requests
// cross the seam, and the files for a driver that the user starts have the same rights.
func TestDriver(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		DriverCommand: []string{os.Args[0]}, DriverEnv: []string{role + "=driver"},
	}})
	info := emu.Info()
	if info.DriverName != "reading.example.com" {
		t.Errorf("the driver is %q", info.DriverName)
	}
	if want := "serves COSI v1alpha2 and v1alpha1; v1alpha2 is used"; !strings.Contains(strings.Join(info.Warnings, "\n"), want) {
		t.Errorf("warnings %q, want that it %s", info.Warnings, want)
	}
	for _, want := range []struct{ operation, outcome string }{
		{"get configmaps", ""}, {"list buckets", journal.OutcomeOK}, {"list secrets", journal.OutcomeOK}, {"create secrets", "Forbidden"},
	} {
		if !slices.ContainsFunc(emu.Journal().Since(0), func(e journal.Event) bool {
			return e.Component == emulator.ComponentDriver && e.Operation.Name == want.operation && strings.Contains(e.Outcome, want.outcome)
		}) {
			t.Errorf("the journal has no event of %q with outcome %q", want.operation, want.outcome)
		}
	}
	files := &rest.Config{
		Host:            "https://" + net.JoinHostPort(info.DriverVariables["KUBERNETES_SERVICE_HOST"], info.DriverVariables["KUBERNETES_SERVICE_PORT"]),
		BearerTokenFile: filepath.Join(info.DriverServiceAccount, "token"),
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(info.DriverServiceAccount, "ca.crt")},
	}
	if _, err := readSettings(t.Context(), files, deploy.Namespace); err != nil {
		t.Errorf("with the files of a Pod: %v", err)
	}
	kubeconfig, err := clientcmd.BuildConfigFromFlags("", info.DriverVariables[subprocess.VariableKubeconfig])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readSettings(t.Context(), kubeconfig, deploy.Namespace); err != nil {
		t.Errorf("with the kubeconfig: %v", err)
	}
}
