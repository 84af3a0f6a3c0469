package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
)

// TestLongConfirmOnEnvtest finds a driver's bug on the embedded control plane and confirms it on
// envtest.
func TestLongConfirmOnEnvtest(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	for name, tc := range map[string]struct {
		reason  string
		missing bool
		want    []kind.Kind
		doubt   string
	}{
		"There":   {"The case is run once more on envtest.", false, []kind.Kind{kind.Embedded, kind.Envtest}, ""},
		"Missing": {"Nothing is downloaded or built for it.", true, []kind.Kind{kind.Embedded}, "`cosi-emu setup` gets them"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.missing {
				t.Setenv("XDG_CACHE_HOME", t.TempDir())
				t.Setenv(binaries.AssetsVariable, "")
			}
			opts := Options{
				File: "testdata/claim.yaml", Text: text(t, "testdata/claim.yaml"), Sandboxes: 1,
				Kinds: []plan.Kind{plan.LoseReply}, At: "sidecar rpc DriverRevoke*",
			}
			opts.Emulator.ControlPlaneKind = emulator.ControlPlaneEmbedded
			opts.Emulator.Implementations.Driver = func(opts fakedriver.Options) (emulator.Server, error) {
				opts.Backend = forgetful{opts.Backend}
				return fakedriver.New(opts)
			}
			r, err := Explore(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != 1 {
				t.Fatalf("findings: %+v, want one", r.Findings)
			}
			g := r.Findings[0]
			if diff := cmp.Diff(tc.want, g.ConfirmedOn); diff != "" || !strings.Contains(g.Doubt, tc.doubt) || (tc.doubt == "") != (g.Doubt == "") {
				t.Errorf("%s doubt: %q; confirmed on: -want +got\n%s", tc.reason, g.Doubt, diff)
			}
		})
	}
}
