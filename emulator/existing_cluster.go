package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// ExistingCluster selects an existing cluster.
type ExistingCluster struct {
	// Kubeconfig is a file; it defaults to $KUBECONFIG, then ~/.kube/config.
	Kubeconfig string
	// Context is a context of the kubeconfig; it defaults to the current one.
	Context string
	// Owner is the name of the emulator. All objects that the emulator creates in the cluster have
	// it as a label.
	Owner string
}

// joinCluster prepares an existing cluster for the components. Before it changes anything, it
// checks that no other COSI runs there.
func (e *Emulator) joinCluster(ctx context.Context) error {
	c, err := existingcluster.Open(existingcluster.Options(*e.opts.Cluster))
	if err != nil {
		return err
	}
	e.cluster = c
	e.onStop(func(context.Context) error {
		c.Close()
		return nil
	})
	if err := e.inOrder(ctx, phase{name: "cluster", run: c.Reach}, phase{name: "leases", run: e.checkLeases}); err != nil {
		return err
	}
	if err := e.connect(c.Kubeconfig()); err != nil {
		return err
	}
	if e.opts.fake() {
		e.warn("the S3 endpoint is on this machine: applications in Pods of the cluster cannot reach it")
	}
	// Components stop before this, because they start later.
	e.onStop(func(ctx context.Context) (err error) {
		e.info.Leftovers, err = c.Uninstall(ctx, e.info.DriverName)
		return err
	})
	if e.opts.Install {
		if err := e.inOrder(ctx, phase{name: "installation", run: c.Install}); err != nil {
			return err
		}
	}
	phases := []phase{{name: "kinds", run: c.CheckKinds}}
	if e.opts.Implementations.DriverCommand != nil { // the driver's name is known only now
		phases = append(append(phases, e.driverPhases()...), phase{name: "sidecar's lease", run: e.checkSidecar})
	}
	return e.inOrder(ctx, append(phases, phase{name: "rights", run: e.prepareRights})...)
}

// checkLeases checks that no controller, and no sidecar of the same driver, runs in the cluster.
func (e *Emulator) checkLeases(ctx context.Context) error {
	// In parallel, because the Lease of a killed component has to expire.
	var beside sync.WaitGroup
	var sidecarErr error
	beside.Go(func() { sidecarErr = e.checkSidecar(ctx) })
	controllerErr := e.checkController(ctx)
	beside.Wait()
	return cmp.Or(controllerErr, sidecarErr)
}

func (e *Emulator) checkController(ctx context.Context) error {
	err := e.cluster.CheckLeases(ctx, deploy.Namespace, cosicontroller.LeaseName)
	if errors.Is(err, existingcluster.ErrBusy) {
		return fmt.Errorf("a COSI controller: %w; stop it first, with 'kubectl -n %s scale deployment %s --replicas=0' "+
			"if it is from deploy/", err, deploy.Namespace, deploy.ControllerServiceAccount)
	}
	return err
}

func (e *Emulator) checkSidecar(ctx context.Context) error {
	if e.info.DriverName == "" {
		return nil // no driver, or not running yet
	}
	err := e.cluster.CheckLeases(ctx, deploy.Namespace, cosisidecar.LeaseName(e.info.DriverName))
	if errors.Is(err, existingcluster.ErrBusy) {
		return fmt.Errorf("a sidecar of driver %s: %w; stop it first, or use a driver of another name", e.info.DriverName, err)
	}
	return err
}

func (e *Emulator) prepareRights(ctx context.Context) error {
	leases := map[string]string{deploy.ControllerServiceAccount: cosicontroller.LeaseName}
	if !e.opts.NoDriver {
		leases[deploy.SidecarServiceAccount] = cosisidecar.LeaseName(e.info.DriverName)
	}
	for account, lease := range leases {
		if _, err := e.userOf(ctx, types.NamespacedName{Namespace: deploy.Namespace, Name: account}); err != nil {
			return err
		}
		if err := e.cluster.PrepareLease(ctx, deploy.Namespace, lease); err != nil {
			return err
		}
	}
	return nil
}

// createInCluster creates one of the emulator's objects in an existing cluster, and warns if an
// existing one belongs to another driver.
func (e *Emulator) createInCluster(ctx context.Context, class client.Object) error {
	found, err := e.cluster.Create(ctx, class)
	if err != nil || !found {
		return err
	}
	if err := e.client.Get(ctx, client.ObjectKeyFromObject(class), class); err != nil {
		return fmt.Errorf("look at class %s: %w", class.GetName(), err)
	}
	if driver := driverOf(class); driver != e.info.DriverName {
		e.warn(fmt.Sprintf("class %s of the cluster is of driver %s, not %s; it is left as it is", class.GetName(), driver, e.info.DriverName))
	}
	return nil
}

func driverOf(class client.Object) string {
	switch class := class.(type) {
	case *v1alpha2.BucketClass:
		return class.Spec.DriverName
	case *v1alpha2.BucketAccessClass:
		return class.Spec.DriverName
	default:
		return ""
	}
}
