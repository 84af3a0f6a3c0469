package engine

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/scenario/classes"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/variables"
)

func (r *run) setUp(ctx context.Context) error {
	setup := &r.scenario.Setup
	drivers, err := r.makeDrivers(ctx, setup.Drivers)
	if err != nil {
		return err
	}
	if err := r.makeClasses(ctx, setup, drivers); err != nil {
		return err
	}
	if len(setup.Images) > 0 {
		if err := r.awaitServiceAccount(ctx); err != nil {
			return err
		}
	}
	for _, name := range setup.Stopped {
		component, err := r.component(name)
		if err != nil {
			return err
		}
		if err := component.Stop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitServiceAccount waits for the ServiceAccount default, without which the API server rejects Pods.
func (r *run) awaitServiceAccount(ctx context.Context) error {
	key := client.ObjectKey{Namespace: r.namespace, Name: "default"}
	return wait.PollUntilContextCancel(ctx, logsInterval, true, func(ctx context.Context) (bool, error) {
		err := r.engine.client.Get(ctx, key, &corev1.ServiceAccount{})
		return err == nil, client.IgnoreNotFound(err)
	})
}

// initialVariables returns the variables that every scenario has.
func (r *run) initialVariables() *variables.Set {
	seed := int64(1)
	if own := r.scenario.Setup.Seed; own != nil {
		seed = *own
	}
	return variables.New(map[string]any{
		"ns": r.namespace, "scope": r.scope, "seed": seed, "index": int64(0),
		"driver": r.engine.emulator.Info().DriverName, "class": emulator.ClassStandard, "accessClass": emulator.ClassStandard,
	})
}

// scoped returns the cluster-wide name for a name of the scenario.
func (r *run) scoped(name string) string { return name + "." + r.scope }

// makeClasses creates the classes. If the scenario has drivers but no classes, the
// first driver gets one of each kind.
func (r *run) makeClasses(ctx context.Context, setup *spec.Setup, drivers map[string]any) error {
	api, buckets, access := r.scenario.API(), setup.Classes, setup.AccessClasses
	if len(setup.Drivers) > 0 && len(buckets) == 0 {
		buckets = []spec.Class{{Name: spec.DefaultClass}}
	}
	if len(setup.Drivers) > 0 && len(access) == 0 {
		access = []spec.AccessClass{{Name: spec.DefaultClass}}
	}
	info, names := r.engine.emulator.Info(), map[string]any{}
	for _, class := range buckets {
		class.Parameters = withParameters(info.BucketParameters, class.Parameters)
		object := classes.Bucket(api, class, r.scoped(class.Name), r.driverOf(ctx, class.Driver, drivers))
		if err := r.create(ctx, object); err != nil {
			return err
		}
		names[class.Name] = object.GetName()
	}
	accessNames := map[string]any{}
	for _, class := range access {
		class.Parameters = withParameters(info.AccessParameters, class.Parameters)
		object := classes.Access(api, class, r.scoped(class.Name), r.driverOf(ctx, class.Driver, drivers))
		if err := r.create(ctx, object); err != nil {
			return err
		}
		accessNames[class.Name] = object.GetName()
	}
	r.variables.Bind("classes", names)
	r.variables.Bind("accessClasses", accessNames)
	if len(buckets) > 0 {
		r.variables.Bind("class", names[buckets[0].Name])
	}
	if len(access) > 0 {
		r.variables.Bind("accessClass", accessNames[access[0].Name])
	}
	return nil
}

func (r *run) driverOf(ctx context.Context, name string, drivers map[string]any) string {
	if found, ok := drivers[name].(string); ok {
		return found
	}
	found, _ := r.variables.Now(ctx)["driver"].(string)
	return found
}

func (r *run) create(ctx context.Context, object client.Object) error {
	if err := r.created.Add(object); err != nil { // Create clears the kind
		return err
	}
	if err := r.engine.client.Create(ctx, object); err != nil {
		return rejected(object, err)
	}
	return nil
}
