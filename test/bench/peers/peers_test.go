package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// TestMain lets the program of the tests be cosi-emu and the other servers.
func TestMain(m *testing.M) {
	servers := map[string]func(context.Context, []string) error{"driver": driver, "fake-peer": fakePeer, "fake-broken": fakeBroken}
	if len(os.Args) > 1 && servers[os.Args[1]] != nil {
		serve(servers[os.Args[1]])
		return
	}
	leaks.Main(m)
}

func serve(run func(context.Context, []string) error) {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // the process ends
	}
}

func fakeBroken(context.Context, []string) error { return errors.New("this server cannot start") }

// driver is `cosi-emu driver`.
func driver(ctx context.Context, args []string) error {
	var o driverserver.Options
	flags := pflag.NewFlagSet("driver", pflag.ContinueOnError)
	flags.StringVar(&o.Endpoint, "endpoint", "", "")
	flags.StringVar(&o.S3BindAddress, "s3-bind-address", "", "")
	flags.StringVar(&o.DataDir, "data-dir", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return driverserver.Run(ctx, o)
}

// fakePeer is a server that checks nothing.
func fakePeer(ctx context.Context, args []string) error {
	s := &http.Server{Addr: args[0], Handler: &fakeStore{}, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = s.Close()
	}()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// fakeStore has the uploaded objects by path.
type fakeStore struct{ all sync.Map }

func (f *fakeStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		data, _ := io.ReadAll(r.Body)
		f.all.Store(r.URL.Path, data)
		return
	}
	found, _ := f.all.Load(r.URL.Path)
	data, _ := found.([]byte)
	_, _ = w.Write(data) //nolint:gosec // no browser reads it
}

// fake returns a peer whose program is the test binary.
func fake(name, verb string) Peer {
	return Peer{
		Name: name, Version: "v1", Bar: 0.001, Durability: "in memory",
		Args: func(_, address string) []string { return []string{verb, address} },
		Env:  func(fakedriver.Credentials) []string { return nil },
	}
}

// withPrograms returns options with a directory that has programs of these names.
func withPrograms(t *testing.T, names ...string) Options {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	o := Options{Program: program, Dir: t.TempDir(), Duration: 50 * time.Millisecond}
	for _, name := range names {
		if err := os.Symlink(program, filepath.Join(o.Dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	return o
}

func TestMeasure(t *testing.T) {
	tests := map[string]struct {
		reason   string
		programs []string
		peers    []Peer
		want     []string // parts of the names of the figures
		notes    []string // parts of the notes
		err      error
	}{
		"Both": {
			reason:   "Each peer has a figure.",
			programs: []string{"one", "two"}, peers: []Peer{fake("one", "fake-peer"), fake("two", "fake-peer")},
			want:  []string{"relative to one:", "relative to two:"},
			notes: []string{"one v1: ", "cosi-emu: ", "requests/s, p50 ", "in memory", "fsync before each answer"},
		},
		"OneMissing": {
			reason:   "The others are compared, and the report says which one is missing.",
			programs: []string{"two"}, peers: []Peer{fake("one", "fake-peer"), fake("two", "fake-peer")},
			want: []string{"relative to two:"}, notes: []string{"one is not measured: "},
		},
		"OneBroken": {
			reason:   "The last line of its log says why.",
			programs: []string{"one", "two"}, peers: []Peer{fake("one", "fake-peer"), fake("two", "fake-broken")},
			want: []string{"relative to one:"}, notes: []string{"two is not measured: ", "this server cannot start"},
		},
		"None": {
			reason: "Nothing can be compared.",
			peers:  []Peer{fake("one", "fake-peer")}, err: errNoPeer,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := withPrograms(t, tc.programs...)
			o.Peers = tc.peers
			steps := 0
			figures, err := Measure(t.Context(), o, func(string) { steps++ })
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s\nMeasure() = %v, want %v", tc.reason, err, tc.err)
			}
			if steps == 0 {
				t.Errorf("%s\nMeasure() has reported no progress", tc.reason)
			}
			checkFigures(t, figures, tc.want, tc.notes)
			checkNothingLeft(t)
		})
	}
}

// checkFigures compares parts of the names and of the notes.
func checkFigures(t *testing.T, figures []figure.Figure, want, wantNotes []string) {
	t.Helper()
	if len(figures) != len(want) {
		t.Fatalf("%d figures, want %d", len(figures), len(want))
	}
	var notes strings.Builder
	for i, f := range figures {
		if !strings.Contains(f.Name, want[i]) || !f.Met || f.Value <= 0 {
			t.Errorf("figure %+v, want %q with the bar met", f, want[i])
		}
		fmt.Fprintln(&notes, strings.Join(f.Notes, "\n"))
	}
	for _, note := range wantNotes {
		if !strings.Contains(notes.String(), note) {
			t.Errorf("the notes lack %q:\n%s", note, &notes)
		}
	}
}

// checkNothingLeft checks that the data of all servers is deleted.
func checkNothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

// TestMeasureCanceled checks that no process and no data is left.
func TestMeasureCanceled(t *testing.T) {
	o := withPrograms(t, "one")
	o.Peers, o.Duration = []Peer{fake("one", "fake-peer")}, time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Measure(ctx, o, func(step string) {
		if strings.HasPrefix(step, "one, ") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Measure() = %v, want that it was canceled", err)
	}
	checkNothingLeft(t)
}

// TestWrongAnswers are those that a load must not count.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason  string
		handler http.HandlerFunc
		want    string
	}{
		"Error": {"Errors are quick.", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "SlowDown", http.StatusServiceUnavailable)
		}, "503"},
		"Short": {"So is half of an object.", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("x"))
		}, "has 1 bytes, want 4096"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(tc.handler)
			defer s.Close()
			c := workload.NewClient(s.Listener.Addr().String(), bucket, region, fakedriver.Credentials{AccessKeyID: "a", SecretAccessKey: "b"})
			defer c.Close()
			_, err := mix(t.Context(), c, workload.NewContent(make([]byte, size)), time.Hour, 1)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nmix() = %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	bars := map[string]float64{}
	for _, p := range Known() {
		bars[p.Name] = p.Bar
		if !strings.Contains(p.Package, "/"+p.Name) || !strings.HasPrefix(p.Version, "v") {
			t.Errorf("peer %+v is not a pinned module", p)
		}
	}
	if diff := cmp.Diff(map[string]float64{"versitygw": 1.3, "minio": 2}, bars); diff != "" {
		t.Errorf("bars: -want, +got:\n%s", diff)
	}
}
