package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"k8s.io/client-go/util/connrotation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
)

const phaseBinaries = "control plane programs"

// startKubernetes connects to the API server, or starts one, and creates the rights of the
// components.
func (e *Emulator) startKubernetes(ctx context.Context) error {
	if e.opts.Cluster != nil {
		return e.joinCluster(ctx)
	}
	if err := e.startControlPlane(ctx); err != nil {
		return err
	}
	if err := e.connect(e.plane.Kubeconfig()); err != nil {
		return err
	}
	if err := e.inOrder(ctx, phase{name: "roles", run: e.grantRoles}); err != nil {
		return err
	}
	return e.inOrder(ctx, e.driverPhases()...)
}

// startControlPlane selects and starts a control plane, unless Options has one.
func (e *Emulator) startControlPlane(ctx context.Context) error {
	if e.opts.ControlPlane != nil {
		e.plane = e.opts.ControlPlane
		return nil
	}
	var choice selection.Choice
	choose := phase{name: phaseBinaries, run: func(ctx context.Context) (err error) {
		choice, err = e.chooseControlPlane(ctx)
		return err
	}}
	if err := e.inOrder(ctx, choose); err != nil {
		return err
	}
	return e.runControlPlane(ctx, choice)
}

func (e *Emulator) chooseControlPlane(ctx context.Context) (selection.Choice, error) {
	chosen, err := kind.Parse(string(e.opts.ControlPlaneKind))
	if err != nil {
		return selection.Choice{}, err
	}
	opts := binaries.Options{Dir: e.opts.ControlPlaneDir, Progress: func(u binaries.Update) {
		u.Report(e.opts.Reporter, phaseBinaries)
	}}
	choice, err := selection.Choose(ctx, chosen, opts)
	if choice.Notice != "" {
		e.warn(choice.Notice)
	}
	return choice, err
}

// runControlPlane starts the processes. It reports their phases as phases of the emulator.
func (e *Emulator) runControlPlane(ctx context.Context, choice selection.Choice) error {
	definitions, err := e.startingDefinitions()
	if err != nil {
		return err
	}
	opts := controlplane.Options{
		Pods:          e.opts.Pods,
		BackOff:       e.opts.RetryBaseDelay,
		MaxBackOff:    e.opts.RetryMaxDelay,
		Dir:           planeDir(e.info.Dir),
		Listen:        e.opts.listen(),
		APIServerPort: e.opts.APIServerPort,
		CRDs:          definitions,
	}
	switch {
	case e.opts.DataDir != "":
		opts.Dir, opts.KeepData = planeDir(e.opts.DataDir), true
	case e.restored != "":
		opts.Data = planeDir(e.restored)
	}
	last := "control plane"
	opts.Phase = func(p controlplane.Phase) {
		last = p.Name
		if p.Done {
			e.opts.Reporter.PhaseEnded(p.Name, p.Elapsed, p.Err)
		} else {
			e.opts.Reporter.PhaseStarted(p.Name)
		}
	}
	plane, err := choice.Start(ctx, opts)
	if err != nil {
		failure := &StartError{Phase: last, Err: err}
		if component, ok := errors.AsType[*controlplane.StartError](err); ok {
			failure.Log = component.LogTail
		}
		return failure
	}
	e.plane = plane
	e.onStop(plane.Stop)
	e.watchControlPlane(plane.Failed())
	return nil
}

// EndOrphans ends the processes of a killed emulator with the directory dir, in case its watchdog
// was killed too.
func EndOrphans(ctx context.Context, dir string) error {
	return envtest.EndOrphans(ctx, planeDir(dir))
}

func (e *Emulator) watchControlPlane(failed <-chan error) {
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case err := <-failed:
			e.fail(err)
		case <-stopped:
		}
	}()
	e.onStop(func(context.Context) error {
		close(stopped)
		<-done
		return nil
	})
}

// connect creates the administrator's client, and the kubeconfig file.
func (e *Emulator) connect(kubeconfig []byte) error {
	e.info.Kubeconfig, e.info.APIServer = KubeconfigIn(e.info.Dir), e.Config().Host
	if c := e.cluster; c != nil {
		e.info.Context = c.ContextName()
	}
	if err := os.WriteFile(e.info.Kubeconfig, kubeconfig, fileMode); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	scheme, err := NewScheme()
	if err != nil {
		return err
	}
	cfg := e.ownConfig()
	connections := connrotation.NewDialer((&net.Dialer{}).DialContext)
	cfg.Dial = connections.DialContext
	e.onStop(func(context.Context) error {
		connections.CloseAll()
		return nil
	})
	e.client, err = client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("connect to the API server: %w", err)
	}
	return nil
}
