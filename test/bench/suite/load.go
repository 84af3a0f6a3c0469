package suite

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
)

// loadTimeout bounds the creation of the load.
const loadTimeout = 5 * time.Minute

// measureLoaded fills an emulator of its own with claims and accesses, and looks
// at its memory, and for how long it keeps silent.
func measureLoaded(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	return withProgram(ctx, opts, func(p *program, t *target) ([]figure.Figure, error) {
		empty, err := residentMemory(ctx, p.info.PID)
		if err != nil {
			return nil, err
		}
		progress(fmt.Sprintf("%d claims with accesses", opts.LoadedClaims))
		if err := t.createLoad(ctx, opts.LoadedClaims); err != nil {
			return nil, err
		}
		full, err := residentMemory(ctx, p.info.PID)
		if err != nil {
			return nil, err
		}
		progress(fmt.Sprintf("silence for %s", opts.Window))
		silence, err := t.measureSilence(ctx, opts.Window)
		if err != nil {
			return nil, err
		}
		later, err := residentMemory(ctx, p.info.PID)
		if err != nil {
			return nil, err
		}
		return []figure.Figure{memoryFigure(opts.LoadedClaims, empty, full, later), silence}, nil
	})
}

// createLoad makes claims with an access each and returns when all are ready.
func (t *target) createLoad(ctx context.Context, count int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTimeout, fmt.Errorf("not all accesses are ready after %s", loadTimeout))
	defer cancel()
	namespace, err := scale.CreateNamespace(ctx, t.client, "bench-")
	if err != nil {
		return err
	}
	watcher, err := t.client.Watch(ctx, &v1alpha2.BucketAccessList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		ready := sets.New[string]()
		return await(ctx, watcher, func(access *v1alpha2.BucketAccess) bool {
			if access.Status.ReadyToUse {
				ready.Insert(access.Name)
			}
			return ready.Len() == count
		})
	})
	group.Go(func() error { return t.createAll(ctx, namespace, count) })
	return group.Wait()
}

func (t *target) createAll(ctx context.Context, namespace string, count int) error {
	for i := range count {
		name := "load-" + strconv.Itoa(i)
		if err := t.client.Create(ctx, scale.NewClaim(namespace, name, emulator.ClassStandard)); err != nil {
			return err
		}
		if err := t.client.Create(ctx, scale.NewAccess(namespace, name, name, emulator.ClassStandard)); err != nil {
			return err
		}
	}
	return nil
}
