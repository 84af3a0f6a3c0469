package orphans

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/driverlist"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
)

// Read reads the objects of a cluster, with read requests only. It uses v1alpha2 if the cluster serves both versions.
// The contents of Secrets are dropped.
func Read(ctx context.Context, cfg *rest.Config) (Cluster, error) {
	c, version, err := existingcluster.Connect(ctx, cfg)
	if err != nil {
		return Cluster{}, err
	}
	// Leases first: a driver that is installed meanwhile has objects.
	cluster := Cluster{Now: time.Now()}
	if cluster.Leases, err = driverlist.ReadLeases(ctx, c); err != nil {
		return Cluster{}, fmt.Errorf("read the cluster at %s: %w", cfg.Host, err)
	}
	lists, err := hub.Read(ctx, c, version, hub.Options{Unnamed: true})
	if err != nil {
		return Cluster{}, fmt.Errorf("read the cluster at %s: %w", cfg.Host, err)
	}
	cluster.Objects = watch.NewObjects(lists)
	return cluster, nil
}
