package driverlist

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
)

// Read reads Leases and classes of a cluster, with read requests only.
func Read(ctx context.Context, cfg *rest.Config) (Sources, error) {
	c, version, err := existingcluster.Connect(ctx, cfg)
	if err != nil {
		return Sources{}, err
	}
	s := Sources{Now: time.Now(), Classes: map[string][]string{}}
	if s.Leases, err = ReadLeases(ctx, c); err != nil {
		return Sources{}, fmt.Errorf("read the cluster at %s: %w", cfg.Host, err)
	}
	for _, kind := range []string{"BucketClass", "BucketAccessClass"} {
		if err := s.readClasses(ctx, c, version, kind); err != nil {
			return Sources{}, fmt.Errorf("read the cluster at %s: %w", cfg.Host, err)
		}
	}
	return s, nil
}

// readClasses reads the classes of a kind. In v1alpha1, a class has no spec.
func (s *Sources) readClasses(ctx context.Context, from client.Reader, version objectstorage.Version, kind string) error {
	path := []string{"spec", "driverName"}
	if version == objectstorage.V1alpha1 {
		path = path[1:]
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha2.GroupName, Version: string(version), Kind: kind + "List"})
	if err := from.List(ctx, list); err != nil {
		return fmt.Errorf("list objects of kind %s: %w", kind, err)
	}
	for i := range list.Items {
		class := &list.Items[i]
		if name, _, _ := unstructured.NestedString(class.Object, path...); name != "" {
			s.Classes[name] = append(s.Classes[name], kind+"/"+class.GetName())
		}
	}
	return nil
}
