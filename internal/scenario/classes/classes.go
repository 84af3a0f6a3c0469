// Package classes makes the objects of the classes in the setup of a scenario.
package classes

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Bucket returns a BucketClass with a name for a driver.
func Bucket(api objectstorage.Version, class spec.Class, name, driver string) client.Object {
	policy := cmp.Or(class.DeletionPolicy, string(v1alpha2.DeletionPolicyDelete))
	meta := metav1.ObjectMeta{Name: name}
	if api == objectstorage.V1alpha1 {
		return &v1alpha1.BucketClass{
			TypeMeta: typeMeta(api, "BucketClass"), ObjectMeta: meta,
			DriverName: driver, DeletionPolicy: v1alpha1.DeletionPolicy(policy), Parameters: class.Parameters,
		}
	}
	return &v1alpha2.BucketClass{
		TypeMeta: typeMeta(api, "BucketClass"), ObjectMeta: meta,
		Spec: v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicy(policy), Parameters: class.Parameters},
	}
}

// Access returns a BucketAccessClass with a name for a driver.
func Access(api objectstorage.Version, class spec.AccessClass, name, driver string) client.Object {
	authentication := cmp.Or(class.AuthenticationType, string(v1alpha2.AuthenticationTypeKey))
	meta := metav1.ObjectMeta{Name: name}
	if api == objectstorage.V1alpha1 {
		return &v1alpha1.BucketAccessClass{
			TypeMeta: typeMeta(api, "BucketAccessClass"), ObjectMeta: meta,
			DriverName: driver, AuthenticationType: v1alpha1.AuthenticationType(authentication), Parameters: class.Parameters,
		}
	}
	object := &v1alpha2.BucketAccessClass{
		TypeMeta: typeMeta(api, "BucketAccessClass"), ObjectMeta: meta,
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

func typeMeta(api objectstorage.Version, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: api.GroupVersion().String()}
}

func accessModes(names []string) []v1alpha2.BucketAccessMode {
	var modes []v1alpha2.BucketAccessMode
	for _, name := range names {
		modes = append(modes, v1alpha2.BucketAccessMode(name))
	}
	return modes
}
