package emulator_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func TestStartRejects(t *testing.T) {
	for name, opts := range map[string]emulator.Options{
		"DriverAndNone":      {Driver: "unix:///tmp/x.sock", NoDriver: true},
		"DriverOverTCP":      {Driver: "127.0.0.1:1234"},
		"DriverRelative":     {Driver: "unix://x.sock"},
		"PortWithoutStore":   {NoDriver: true, S3Port: 9000},
		"SocketOfOther":      {Driver: "unix:///tmp/x.sock", Socket: "/tmp/y.sock"},
		"RegionOfOther":      {NoDriver: true, S3Region: "us-west-2"},
		"RegionInvalid":      {S3Region: "US West"},
		"TLSOfOther":         {Driver: "unix:///tmp/x.sock", TLS: true},
		"LimitOfOther":       {NoDriver: true, MaxAccounts: 1},
		"BodyOfOther":        {NoDriver: true, MaxBodyBytes: 1},
		"CORSOfOther":        {NoDriver: true, S3CORSOrigins: []string{"*"}},
		"CORSOrigin":         {S3CORSOrigins: []string{"localhost:3000"}},
		"DialectUnknown":     {Dialect: "m"},
		"DialectOfNone":      {NoDriver: true, Dialect: dialects.OneMode},
		"DialectOfV1alpha1":  {API: objectstorage.V1alpha1, Dialect: dialects.OneMode},
		"BridgeOfTwo":        {Dialect: dialects.V1alpha1, Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolAzure}},
		"BridgeOfGCS":        {Dialect: dialects.V1alpha1, Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}},
		"AccountsNegative":   {MaxAccounts: -1},
		"BodyNegative":       {MaxBodyBytes: -1},
		"PortTooHigh":        {S3Port: 65536},
		"PortNegative":       {APIServerPort: -1},
		"DriverNameInvalid":  {DriverNames: []string{"Not A Name"}},
		"DriverNameTwice":    {DriverNames: []string{"a.test", "a.test"}},
		"DriverNameOfOther":  {DriverNames: []string{"a.test"}, Driver: "unix:///tmp/d.sock"},
		"DriverNamesCluster": {DriverNames: []string{"a.test", "b.test"}, Cluster: &emulator.ExistingCluster{}},
		"SecretsNamespace":   {SecretParametersFrom: []string{"team-*"}},
		"SecretsOfOther":     {SecretParametersFrom: []string{"a"}, Implementations: emulator.Implementations{SidecarCommand: []string{"x"}}},
		"SecretKeysUnknown":  {SecretKeys: []v1alpha2.SecretKeySet{"KEP"}},
		"SecretKeysV1alpha1": {API: objectstorage.V1alpha1, SecretKeys: []v1alpha2.SecretKeySet{v1alpha2.SecretKeysCOSI}},
		"SecretKeysOfOther": {
			SecretKeys:      []v1alpha2.SecretKeySet{v1alpha2.SecretKeysCOSI},
			Implementations: emulator.Implementations{SidecarCommand: []string{"true"}},
		},
		"CRDsIncomplete": {CRDs: []*apiextensionsv1.CustomResourceDefinition{{}}},
		"CRDsOfCluster":  {CRDs: []*apiextensionsv1.CustomResourceDefinition{{}}, Cluster: &emulator.ExistingCluster{}},
		"CommandEmpty":   {Implementations: emulator.Implementations{SidecarCommand: []string{}}},
		"CommandAndFunction": {Implementations: emulator.Implementations{
			ControllerCommand: []string{"true"},
			Controller:        func(*rest.Config, logr.Logger) (emulator.Runner, error) { return nil, nil },
		}},
	} {
		t.Run(name, func(t *testing.T) {
			emu, err := emulator.Start(t.Context(), opts)
			if err == nil {
				t.Fatalf("Start() succeeded, and Stop() = %v", emu.Stop(t.Context()))
			}
			if !errors.Is(err, emulator.ErrOptions) {
				t.Errorf("Start() = %v, want ErrOptions", err)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	plane := controlplanetest.Start(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // nothing was sent
	address, ok := taken.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("listening on %T", taken.Addr())
	}
	missing := filepath.Join(t.TempDir(), "missing")
	tests := map[string]struct {
		opts     emulator.Options
		phase    string
		mentions []string
	}{
		"S3PortInUse": {
			opts: emulator.Options{S3Port: address.Port}, phase: "S3 store", mentions: []string{taken.Addr().String(), "another port"},
		},
		"APIServerPortInUse": {
			opts: emulator.Options{APIServerPort: address.Port}, phase: "kube-apiserver",
			mentions: []string{strconv.Itoa(address.Port), "another port"},
		},
		"SocketTooLong": {
			opts:  emulator.Options{Socket: "/tmp/" + strings.Repeat("long/", 30) + "cosi.sock"},
			phase: "driver", mentions: []string{"bytes", "shorter"},
		},
		"NoSuchDriver": {
			opts:  emulator.Options{Driver: "unix://" + missing + "/d.sock", ConnectTimeout: 50 * time.Millisecond},
			phase: "driver", mentions: []string{missing + "/d.sock"},
		},
		"DirMissing": {opts: emulator.Options{Dir: missing}, mentions: []string{missing}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			tc.opts.ControlPlane = plane
			emu, err := emulator.Start(t.Context(), tc.opts)
			if err == nil {
				t.Fatalf("Start() succeeded, and Stop() = %v", emu.Stop(t.Context()))
			}
			if failure, ok := errors.AsType[*emulator.StartError](err); tc.phase != "" && (!ok || failure.Phase != tc.phase) {
				t.Errorf("Start() = %v, want a StartError of phase %q", err, tc.phase)
			}
			for _, text := range tc.mentions {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error %q does not mention %q", err, text)
				}
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("a failed start has left %v", left)
			}
		})
	}
}
