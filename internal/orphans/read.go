package orphans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
)

// Read reads the objects of a cluster, with read requests only. It uses v1alpha2 if the cluster serves both versions.
// The contents of Secrets are dropped.
func Read(ctx context.Context, cfg *rest.Config) (Cluster, error) {
	versions, err := existingcluster.ServedVersions(ctx, cfg)
	if err != nil {
		return Cluster{}, err
	}
	version := objectstorage.V1alpha2
	switch {
	case slices.Contains(versions, string(objectstorage.V1alpha2)):
	case slices.Contains(versions, string(objectstorage.V1alpha1)):
		version = objectstorage.V1alpha1
	default:
		return Cluster{}, fmt.Errorf("the cluster at %s has no kinds of COSI v1alpha2 or v1alpha1: install them, "+
			"or select another cluster with --context", cfg.Host)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		return Cluster{}, err
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return Cluster{}, err
	}
	// Leases first: a driver that is installed meanwhile has objects.
	cluster := Cluster{Now: time.Now()}
	var leases coordinationv1.LeaseList
	if err := c.List(ctx, &leases); err != nil {
		return Cluster{}, fmt.Errorf("list Leases of the cluster at %s: %w", cfg.Host, err)
	}
	cluster.Leases = slices.DeleteFunc(leases.Items, func(lease coordinationv1.Lease) bool {
		return !strings.HasPrefix(lease.Name, LeasePrefix)
	})
	lists, err := hub.Read(ctx, c, version, hub.Options{Unnamed: true})
	if err != nil {
		return Cluster{}, fmt.Errorf("read the cluster at %s: %w", cfg.Host, err)
	}
	cluster.Objects = watch.NewObjects(lists)
	return cluster, nil
}
