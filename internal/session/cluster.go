package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// Kinds of errors.
var (
	// ErrOwnServer: the cluster is the control plane of another emulator.
	ErrOwnServer = errors.New("the cluster belongs to an emulator")
	// ErrUnfinished: a killed emulator has left objects in a cluster.
	ErrUnfinished = errors.New("an emulator was killed that has left something in a cluster")
)

// checkServer rejects a cluster that is the control plane of another emulator, because that
// emulator's controller takes no Lease.
func (s *Session) checkServer() error {
	c := s.cluster
	if c == nil {
		return nil
	}
	others, err := instance.List()
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.APIServer == c.Server() && other.Name != s.opts.Name {
			return fmt.Errorf("context %q, server %s: %w: %q, which has a COSI controller; use it as it is, "+
				"or choose another cluster with --context or --kubeconfig", c.ContextName(), c.Server(), ErrOwnServer, other.Name)
		}
	}
	return nil
}

// succeed cleans up after a killed emulator. If the new emulator uses the same cluster, it takes
// over the objects there.
func (s *Session) succeed(ctx context.Context, dir string) error {
	if err := emulator.EndOrphans(ctx, dir); err != nil {
		return err
	}
	killed, err := instance.Read(dir)
	if err != nil || killed.Context == "" {
		return err
	}
	if c := s.cluster; c != nil && c.Server() == killed.APIServer {
		return nil
	}
	return fmt.Errorf("%w: emulator %q in the cluster of context %q; run '%s' first",
		ErrUnfinished, killed.Name, killed.Context, instance.Command("down", killed.Name))
}

// Remains are the objects that an emulator has left in a cluster.
type Remains struct {
	// Context is the context of the cluster; empty without one.
	Context string
	Left    []string
	// Err is the error that ended the clean-up of the cluster.
	Err error
}

// CleanUp cleans up after a killed emulator with that directory: it ends its processes, and deletes
// its objects in a cluster. An unreachable cluster is no error, but recorded in Remains.
func CleanUp(ctx context.Context, dir string) (Remains, error) {
	if err := emulator.EndOrphans(ctx, dir); err != nil {
		return Remains{}, err
	}
	killed, err := instance.Read(dir)
	if err != nil || killed.Context == "" {
		return Remains{}, err
	}
	kubeconfig := emulator.KubeconfigIn(dir)
	if _, err := os.Stat(kubeconfig); errors.Is(err, fs.ErrNotExist) {
		return Remains{}, nil // it has not changed the cluster yet
	}
	c, err := existingcluster.Open(existingcluster.Options{Kubeconfig: kubeconfig, Owner: killed.Name})
	if err != nil {
		return Remains{}, err
	}
	defer c.Close()
	left, err := c.Uninstall(ctx, killed.DriverName)
	return Remains{Context: killed.Context, Left: left, Err: err}, nil
}
