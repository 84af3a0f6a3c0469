package skew

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

var (
	previousProgram = flag.String("previous", "", "the program cosi-emu of the previous build")
	currentProgram  = flag.String("current", "", "the program cosi-emu of this build")
)

// TestLongSkew replaces controller and sidecar of the previous build by the components of this one, back, and again, one after the
// other in both orders. Meanwhile there are claims and accesses in every state. No pair of builds changes or loses anything
// of the objects that are ready, each completes new ones, and the last pair completes all that was held.
func TestLongSkew(t *testing.T) {
	if *previousProgram == "" || *currentProgram == "" {
		t.Skip("it needs two programs: run make test-skew")
	}
	const controller, sidecar = emulator.ComponentController, emulator.ComponentSidecar
	for name, order := range map[string][2]string{"ControllerFirst": {controller, sidecar}, "SidecarFirst": {sidecar, controller}} {
		for _, api := range []objectstorage.Version{objectstorage.V1alpha2, objectstorage.V1alpha1} {
			t.Run(name+"/"+string(api), func(t *testing.T) {
				s := start(t, api)
				s.createReady()
				s.createStuck()
				s.createHeld()
				s.expectSame("at the beginning")
				first, second := order[0], order[1]
				for _, to := range []swap{
					{first, *currentProgram}, {second, *currentProgram}, // up
					{second, *previousProgram}, {first, *previousProgram}, // down
					{first, *currentProgram}, {second, *currentProgram}, // and up again
				} {
					s.swap(to)
				}
				s.release()
				s.deleteAll()
			})
		}
	}
}

// swap is the next build of a component.
type swap struct{ component, program string }

// programs are the links through which an emulator starts its components. A link leads to one of the builds.
type programs struct{ dir string }

func newPrograms(tb testing.TB) programs {
	tb.Helper()
	p := programs{harness.SocketDir(tb)}
	for _, component := range []string{emulator.ComponentController, emulator.ComponentSidecar} {
		p.lead(tb, swap{component, *previousProgram})
	}
	return p
}

func (p programs) link(component string) string { return filepath.Join(p.dir, component) }

// lead has the next start of a component run the program of a build.
func (p programs) lead(tb testing.TB, to swap) {
	tb.Helper()
	link := p.link(to.component)
	if err := os.RemoveAll(link); err != nil {
		tb.Fatal(err)
	}
	if err := os.Symlink(to.program, link); err != nil {
		tb.Fatal(err)
	}
}

// options configure an emulator whose components are the programs of the links.
func (p programs) options(api objectstorage.Version) emulator.Options {
	common := []string{
		"--api=" + string(api), "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)", "--kube-api-qps=-1",
		"--retry-base-delay=$(RETRY_BASE_DELAY)", "--retry-max-delay=$(RETRY_MAX_DELAY)",
	}
	sidecar := []string{p.link(emulator.ComponentSidecar), "sidecar", "--endpoint=$(COSI_ENDPOINT)", "--rpc-timeout=$(RPC_TIMEOUT)"}
	if api == objectstorage.V1alpha2 {
		sidecar = append(sidecar, "--dialect=kep")
	}
	return emulator.Options{
		API: api, RetryMaxDelay: retryMaxDelay,
		Implementations: emulator.Implementations{
			ControllerCommand: append([]string{p.link(emulator.ComponentController), "controller"}, common...),
			SidecarCommand:    append(sidecar, common...),
		},
	}
}
