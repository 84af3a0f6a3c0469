package engine

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
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
	classes, access := setup.Classes, setup.AccessClasses
	if len(setup.Drivers) > 0 && len(classes) == 0 {
		classes = []spec.Class{{Name: spec.DefaultClass}}
	}
	if len(setup.Drivers) > 0 && len(access) == 0 {
		access = []spec.AccessClass{{Name: spec.DefaultClass}}
	}
	names := map[string]any{}
	for _, class := range classes {
		object := r.bucketClass(class, r.driverOf(ctx, class.Driver, drivers))
		if err := r.create(ctx, object); err != nil {
			return err
		}
		names[class.Name] = object.GetName()
	}
	accessNames := map[string]any{}
	for _, class := range access {
		object := r.accessClass(class, r.driverOf(ctx, class.Driver, drivers))
		if err := r.create(ctx, object); err != nil {
			return err
		}
		accessNames[class.Name] = object.GetName()
	}
	r.variables.Bind("classes", names)
	r.variables.Bind("accessClasses", accessNames)
	if len(classes) > 0 {
		r.variables.Bind("class", names[classes[0].Name])
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

func (r *run) bucketClass(class spec.Class, driver string) client.Object {
	policy := cmp.Or(class.DeletionPolicy, string(v1alpha2.DeletionPolicyDelete))
	meta := metav1.ObjectMeta{Name: r.scoped(class.Name)}
	if r.scenario.API() == objectstorage.V1alpha1 {
		return &v1alpha1.BucketClass{
			TypeMeta: r.typeMeta("BucketClass"), ObjectMeta: meta,
			DriverName: driver, DeletionPolicy: v1alpha1.DeletionPolicy(policy), Parameters: class.Parameters,
		}
	}
	return &v1alpha2.BucketClass{
		TypeMeta: r.typeMeta("BucketClass"), ObjectMeta: meta,
		Spec: v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicy(policy), Parameters: class.Parameters},
	}
}

func (r *run) accessClass(class spec.AccessClass, driver string) client.Object {
	authentication := cmp.Or(class.AuthenticationType, string(v1alpha2.AuthenticationTypeKey))
	meta := metav1.ObjectMeta{Name: r.scoped(class.Name)}
	if r.scenario.API() == objectstorage.V1alpha1 {
		return &v1alpha1.BucketAccessClass{
			TypeMeta: r.typeMeta("BucketAccessClass"), ObjectMeta: meta,
			DriverName: driver, AuthenticationType: v1alpha1.AuthenticationType(authentication), Parameters: class.Parameters,
		}
	}
	object := &v1alpha2.BucketAccessClass{
		TypeMeta: r.typeMeta("BucketAccessClass"), ObjectMeta: meta,
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: driver, AuthenticationType: v1alpha2.AuthenticationType(authentication),
			MultiBucketAccess: v1alpha2.MultiBucketAccess(class.MultiBucketAccess), Parameters: class.Parameters,
		},
	}
	if modes := class.DisallowedModes; modes != nil {
		object.Spec.DisallowedBucketAccessModes = &v1alpha2.DisallowedBucketAccessModes{
			ObjectData: accessModes(modes.ObjectData), ObjectMetadata: accessModes(modes.ObjectMetadata),
			BucketMetadata: accessModes(modes.BucketMetadata),
		}
	}
	return object
}

func (r *run) typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: r.scenario.API().GroupVersion().String()}
}

func accessModes(names []string) []v1alpha2.BucketAccessMode {
	var modes []v1alpha2.BucketAccessMode
	for _, name := range names {
		modes = append(modes, v1alpha2.BucketAccessMode(name))
	}
	return modes
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
