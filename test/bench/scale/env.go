package scale

import (
	"context"
	"fmt"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// class is the name of the BucketClass and of the BucketAccessClass.
const class = "scale"

// Who makes requests. The components are the users of deploy/rbac.
const (
	admin      = "admin"
	controller = "controller"
	sidecar    = "sidecar"
)

// environment is a control plane on which components can be set to work: it has their
// users, and the classes.
type environment struct {
	scheme   *runtime.Scheme
	users    map[string]*rest.Config
	admin    client.WithWatch
	endpoint string // of the driver
}

// newEnvironment takes an emulator that has neither driver nor sidecar, stops its
// controller, and leaves the control plane with the roles.
func newEnvironment(ctx context.Context, emu *emulator.Emulator) (*environment, error) {
	if err := emu.Component(emulator.ComponentController).Stop(ctx); err != nil {
		return nil, err
	}
	s := &environment{
		users:    map[string]*rest.Config{},
		endpoint: "unix://" + filepath.Join(emu.Info().Dir, "scale.sock"),
	}
	if err := s.addUser(emu, admin, controlplane.AdminUser, controlplane.AdminGroup); err != nil {
		return nil, err
	}
	for name, account := range map[string]string{controller: deploy.ControllerServiceAccount, sidecar: deploy.SidecarServiceAccount} {
		err := s.addUser(emu, name, "system:serviceaccount:"+deploy.Namespace+":"+account,
			"system:serviceaccounts", "system:serviceaccounts:"+deploy.Namespace)
		if err != nil {
			return nil, err
		}
	}
	var err error
	if s.scheme, err = emulator.NewScheme(); err != nil {
		return nil, err
	}
	if s.admin, err = client.NewWithWatch(s.users[admin], client.Options{Scheme: s.scheme}); err != nil {
		return nil, err
	}
	if err := s.createClasses(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// inProcess is a control plane whose API server is in this process.
type inProcess interface {
	InProcessConfig(name string, groups ...string) *rest.Config
}

// addUser adds a user. If the API server is in this process, the user's requests need no network,
// like the requests of an emulator's components.
func (e *environment) addUser(emu *emulator.Emulator, name, user string, groups ...string) error {
	if plane, ok := emu.ControlPlane().(inProcess); ok {
		if cfg := plane.InProcessConfig(user, groups...); cfg != nil {
			e.users[name] = asJSON(cfg)
			return nil
		}
	}
	cfg, err := emu.ControlPlane().UserConfig(user, groups...)
	if err != nil {
		return err
	}
	e.users[name] = asJSON(cfg)
	return nil
}

// asJSON has all requests made in JSON, also for the built-in kinds, so that they
// can be repeated with other names in them, and at the same price.
func asJSON(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	cfg.QPS = -1 // no other client uses the API server
	return cfg
}

func (e *environment) createClasses(ctx context.Context) error {
	meta := metav1.ObjectMeta{Name: class}
	for _, object := range []client.Object{
		&v1alpha2.BucketClass{ObjectMeta: meta, Spec: v1alpha2.BucketClassSpec{
			DriverName: fakedriver.DefaultName, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
		}},
		&v1alpha2.BucketAccessClass{ObjectMeta: meta, Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: fakedriver.DefaultName, AuthenticationType: v1alpha2.AuthenticationTypeKey,
			MultiBucketAccess: v1alpha2.MultiBucketAccessSingleBucket,
		}},
	} {
		if err := client.IgnoreAlreadyExists(e.admin.Create(ctx, object)); err != nil {
			return fmt.Errorf("create class %s: %w", class, err)
		}
	}
	return nil
}
