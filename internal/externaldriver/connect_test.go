package externaldriver

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// recorder implements Bridges and Bridge. It records the calls.
type recorder struct {
	socket string
	calls  []string
	// detected is called by a call that a stopping bridge waits for.
	detected func(dialects.Dialect)
}

func (r *recorder) Needed(dialect dialects.Dialect) bool { return dialect != dialects.KEP }

func (r *recorder) Start(_ context.Context, component string, _ dialects.Dialect, options bridge.Options) (Bridge, error) {
	r.calls = append(r.calls, "start "+component+" for "+options.Driver)
	r.detected = options.Detected
	return r, nil
}

func (r *recorder) Unneeded(endpoint string, dialect dialects.Dialect) {
	r.calls = append(r.calls, "no bridge for "+dialect.Protocol()+" at "+endpoint)
}

func (r *recorder) Endpoint() string { return "unix://" + r.socket }

func (r *recorder) Remove(context.Context) error {
	r.detected(dialects.OneMode)
	r.calls = append(r.calls, "remove")
	return nil
}

// listen accepts connections on a socket until the test ends.
func listen(t *testing.T, path string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

func optionsOf(t *testing.T, r *recorder, dialect *dialects.Dialect) Options {
	t.Helper()
	dir := t.TempDir()
	r.socket = filepath.Join(dir, "b.sock")
	listen(t, r.socket)
	listen(t, filepath.Join(dir, "d.sock"))
	return Options{
		Address: "unix://" + filepath.Join(dir, "d.sock"), Component: "bridge", Dir: filepath.Join(dir, "ids"),
		Identify: func(context.Context, string) (driveridentity.Identity, error) {
			return driveridentity.Identity{Name: "direct.test", Version: objectstorage.V1alpha2, Dialect: *dialect}, nil
		},
		Name:    func(context.Context, string) (string, error) { return "bridged.test", nil },
		Ask:     func(context.Context) (dialects.Dialect, error) { return *dialect, nil },
		Bridges: r, Warn: func(string) {},
	}
}

func TestConnect(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		dialect dialects.Dialect
		want    string
		bridged bool
	}{
		"Direct":  {"The sidecar speaks the dialect.", dialects.KEP, "direct.test", false},
		"Bridged": {"The sidecar speaks another dialect, and the bridge reports the name.", dialects.OneMode, "bridged.test", true},
	} {
		r := &recorder{}
		d, err := Connect(t.Context(), optionsOf(t, r, &tc.dialect))
		if err != nil {
			t.Fatal(err)
		}
		if d.Name() != tc.want || (d.SidecarOptions().Endpoint == r.Endpoint()) != tc.bridged {
			t.Errorf("%s: %s Name() = %s, endpoint %s", name, tc.reason, d.Name(), d.SidecarOptions().Endpoint)
		}
		if err := d.RemoveBridge(t.Context()); err != nil || slices.Contains(r.calls, "remove") != tc.bridged {
			t.Errorf("%s: %s RemoveBridge() = %v, after %q", name, tc.reason, err, r.calls)
		}
	}
}

// TestUpgrade: a driver restarts in another dialect, and the next connection leads to a bridge.
func TestUpgrade(t *testing.T) {
	r, dialect := &recorder{}, dialects.KEP
	options := optionsOf(t, r, &dialect)
	d, err := Connect(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	d.Tell(func(dialect dialects.Dialect, endpoint string) { told = append(told, string(dialect)+" "+endpoint) })
	var reached []string
	for _, dialect = range []dialects.Dialect{dialects.KEP, dialects.OneMode, dialects.KEP} {
		conn, err := d.dial(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		reached = append(reached, "unix://"+conn.RemoteAddr().String())
		_ = conn.Close()
	}
	if diff := cmp.Diff([]string{options.Address, r.Endpoint(), r.Endpoint()}, reached); diff != "" {
		t.Errorf("connections: -want, +got:\n%s", diff)
	}
	want := []string{string(dialects.KEP) + " " + options.Address, string(dialects.OneMode) + " " + r.Endpoint()}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("changes: -want, +got:\n%s", diff)
	}
}

// TestRemoveBridge: a call through the bridge asks for the dialect while the bridge stops.
func TestRemoveBridge(t *testing.T) {
	r, dialect := &recorder{}, dialects.OneMode
	d, err := Connect(t.Context(), optionsOf(t, r, &dialect))
	if err != nil {
		t.Fatal(err)
	}
	removed := make(chan error, 1)
	go func() { removed <- d.RemoveBridge(t.Context()) }()
	if err := harness.Receive(t, "the end of the bridge, whose call asks for the dialect", removed); err != nil {
		t.Error(err)
	}
}
