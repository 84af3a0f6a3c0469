package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/conformance/process"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
)

// supervision is a driver that the suite has started, and the control plane that it requires.
type supervision struct {
	driver       *process.Driver
	controlPlane *emulator.Emulator // nil without one
	// failure is why the driver does not run.
	failure error
}

// supervise starts the driver of a configuration, and a control plane if it has one. The
// error is about the control plane or the configuration. It returns nil if there is no driver
// to start.
func supervise(ctx context.Context, config Config, history *journal.Journal) (_ *supervision, err error) {
	if config.DriverCommand == nil {
		return nil, nil
	}
	s := &supervision{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	variables, err := s.startControlPlane(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, pair := range config.DriverEnv {
		if name, value, _ := strings.Cut(pair, "="); isSecretName(name) {
			history.AddAccountSecret(checks.Configured+name, value)
		}
	}
	s.driver, err = process.New(process.Options{
		Args: config.DriverCommand, Env: config.DriverEnv, Variables: variables, Endpoint: config.Endpoint, EndpointFlag: "--endpoint",
		ConnectTimeout: config.ConnectTimeout, Journal: history,
	})
	if err != nil {
		return nil, err
	}
	s.failure = s.driver.Start(ctx, process.How{})
	return s, nil
}

// startControlPlane starts a Kubernetes API server, and returns the variables that lead to
// it.
func (s *supervision) startControlPlane(ctx context.Context, config Config) (map[string]string, error) {
	if config.ControlPlane == nil {
		return nil, nil
	}
	objects, err := readManifests(config.ControlPlane.Manifests)
	if err != nil {
		return nil, err
	}
	emu, err := emulator.Start(ctx, emulator.Options{
		ControlPlaneKind: config.ControlPlaneKind, ControlPlaneDir: config.ControlPlaneDir,
		NoDriver: true, Dir: config.ControlPlane.Dir, Reporter: config.ControlPlane.Reporter, API: objectstorage.Version(config.Generation),
		Implementations: emulator.Implementations{DriverRBAC: config.ControlPlane.DriverRBAC},
	})
	if err != nil {
		return nil, fmt.Errorf("start a control plane for the driver: %w", err)
	}
	s.controlPlane = emu
	for _, object := range objects {
		if err := manifest.Apply(ctx, emu.Client(), []*unstructured.Unstructured{object.Unstructured}); err != nil {
			return nil, fmt.Errorf("%s: %w", object.Position, err)
		}
	}
	info := emu.Info()
	return maps.Clone(subprocess.WithoutForeignCluster(info.DriverVariables, info.DriverServiceAccount)), nil
}

// readManifests reads a file or a directory, if there is one.
func readManifests(path string) ([]manifest.Located, error) {
	if path == "" {
		return nil, nil
	}
	objects, err := manifest.ReadPath(path)
	if err != nil {
		return nil, fmt.Errorf("the manifests for the control plane: %w", err)
	}
	return objects, nil
}

// stopTimeout bounds the end of a control plane.
const stopTimeout = time.Minute

// close ends the driver, and then the control plane, also after the context has ended.
func (s *supervision) close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	var errs []error
	if s.driver != nil {
		errs = append(errs, s.driver.Close())
	}
	if s.controlPlane != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		errs = append(errs, s.controlPlane.Stop(ctx))
	}
	return errors.Join(errs...)
}

// secretName matches names of variables whose values are secrets, and place names of variables
// that only locate one.
var (
	secretName = regexp.MustCompile(`(?i)secret|passw(or)?d|token|private_?key|credential`)
	place      = regexp.MustCompile(`(?i)(file|path|dir|url|uri|name|endpoint|id)$`)
)

func isSecretName(name string) bool { return secretName.MatchString(name) && !place.MatchString(name) }

// secretVariables returns how many variables of a driver are secrets by their names.
func secretVariables(config Config) int {
	n := 0
	for _, pair := range config.DriverEnv {
		if name, _, _ := strings.Cut(pair, "="); isSecretName(name) {
			n++
		}
	}
	return n
}
