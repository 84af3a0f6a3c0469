package emulator

import (
	"context"
	"crypto/tls"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/pods"
	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/pods/worker"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// Image maps the images of containers to a command of this machine.
type Image = description.Image

// ParseImage parses IMAGE=COMMAND [ARGUMENT ...], where * in IMAGE matches any characters.
func ParseImage(text string) (Image, error) { return image.Parse(text) }

// nodeRights are the rights of the node.
//
//go:embed pods.yaml
var nodeRights []byte

func (o Options) validatePods() error {
	switch {
	case !o.Pods && len(o.Images) > 0:
		return fmt.Errorf("%w: Images require Pods", ErrOptions)
	case !o.Pods:
		return nil
	case o.Cluster != nil || o.ControlPlane != nil:
		return fmt.Errorf("%w: Pods require a control plane that the emulator starts; an existing cluster has nodes of its own", ErrOptions)
	case runtime.GOOS == "windows":
		return fmt.Errorf("%w: Pods are not run on Windows, where their processes could outlive this one: run this program under WSL", ErrOptions)
	default:
		return nil
	}
}

// startNode starts the node that runs Pods. Its requests do not cross the api seam, because it is not under test.
func (e *Emulator) startNode(ctx context.Context) error {
	objects, err := manifest.Decode(nodeRights)
	if err != nil {
		return err
	}
	if err := manifest.Apply(ctx, e.client, objects); err != nil {
		return fmt.Errorf("grant the rights of the node: %w", err)
	}
	e.warn("Pods run as processes of this machine, as your user and without isolation; docs/pods.md has what they share")
	options, err := e.nodeOptions()
	if err != nil {
		return err
	}
	return e.startComponent(ctx, ComponentNode, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		o := options
		o.Logger = e.logger(i)
		n, err := pods.New(o) //nolint:contextcheck // it outlives the start
		if err == nil {
			e.node.Store(n)
		}
		return n, err
	})
}

func (e *Emulator) nodeOptions() (pods.Options, error) {
	config, err := e.nodeUser()
	if err != nil {
		return pods.Options{}, err
	}
	certificates, err := e.plane.(nodeServing).NodeServing() //nolint:forcetypeassert // the emulator has started the control plane
	if err != nil {
		return pods.Options{}, err
	}
	server, err := url.Parse(e.Config().Host)
	if err != nil {
		return pods.Options{}, err
	}
	dir, err := filepath.Abs(filepath.Join(e.info.Dir, "pods"))
	if err != nil {
		return pods.Options{}, err
	}
	driver, err := e.nodeDriver()
	if err != nil {
		return pods.Options{}, err
	}
	return pods.Options{
		Config: config, Serving: certificates, Drivers: csi.Drivers{driver}, Images: e.opts.Images, Dir: dir,
		Environment: podEnvironment(), NewRun: e.newRun,
		Server:  worker.Server{URL: server.String(), Host: server.Hostname(), Port: server.Port()},
		BackOff: e.opts.RetryBaseDelay, MaxBackOff: e.opts.RetryMaxDelay,
	}, nil
}

// nodeServing is a control plane whose API server asks nodes for logs.
type nodeServing interface {
	NodeServing() (*tls.Config, error)
}

// nodeUser returns the client configuration of a kubelet.
func (e *Emulator) nodeUser() (*rest.Config, error) {
	user, groups := "system:node:"+pods.Name, []string{"system:nodes"}
	if cfg := e.inProcessConfig(user, groups...); cfg != nil {
		return cfg, nil
	}
	cfg, err := e.plane.UserConfig(user, groups...)
	if err != nil {
		return nil, fmt.Errorf("make credentials for the node: %w", err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // no other client uses this API server
	return cfg, nil
}

// podEnvironment returns the variables of this process that containers have, too: neither its credentials nor its
// home directory.
func podEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains([]string{"PATH", "TMPDIR", "TZ", "LANG"}, name)
	})
}

// newRun returns the record of a process of a Pod: the process seam, with its faults.
func (e *Emulator) newRun(name string, number int) worker.Run {
	i := seam.NewIncarnation(e.journal, name, number)
	i.Inject(e.faults, seam.Hooks{Crashed: nil, Interfere: e.interfere})
	return podRun{i}
}

type podRun struct{ incarnation *seam.Incarnation }

// Begin implements worker.Run.
func (r podRun) Begin(ctx context.Context) error { return r.incarnation.Begin(ctx) }

// Record implements worker.Run.
func (r podRun) Record(step, text string) {
	r.incarnation.RecordText(step, text)
	r.incarnation.Fence()
}

// podContainer is the process of a container, as a Controllable.
type podContainer struct {
	emulator                  *Emulator
	namespace, pod, container string
}

// podContainerNamed returns the container with a name of the journal, or nil.
func (e *Emulator) podContainerNamed(name string) Controllable {
	parts := strings.Split(name, "/")
	if e.node.Load() == nil || len(parts) != 4 || parts[0] != "pod" {
		return nil
	}
	return &podContainer{e, parts[1], parts[2], parts[3]}
}

// Crash implements Controllable: it kills the process. The restartPolicy of the Pod decides whether it runs again.
func (c *podContainer) Crash() error {
	if !c.emulator.node.Load().Crash(c.namespace, c.pod, c.container) {
		return fmt.Errorf("crash container %s of Pod %s/%s: %w: it is not running", c.container, c.namespace, c.pod, ErrWrongState)
	}
	return nil
}

// Start implements Controllable: the node starts containers, so that there is nothing to do.
func (c *podContainer) Start(context.Context) error { return nil }

// Stop implements Controllable.
func (c *podContainer) Stop(context.Context) error {
	return fmt.Errorf("stop container %s of Pod %s/%s: %w: delete the Pod, or crash its container",
		c.container, c.namespace, c.pod, ErrWrongState)
}

// Restart implements Controllable.
func (c *podContainer) Restart(context.Context) error { return c.Crash() }

// Forget implements Controllable.
func (c *podContainer) Forget(context.Context) error {
	return fmt.Errorf("forget container %s of Pod %s/%s: %w", c.container, c.namespace, c.pod, ErrNothingKept)
}
