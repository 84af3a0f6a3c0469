package phasetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// Suite is shared by the cases of a package. The first case connects it to the control plane of the
// test binary.
type Suite struct {
	// Version is the version of the COSI kinds. It defaults to v1alpha2.
	Version objectstorage.Version
	// Kinds are the kinds that the component watches. Its cache has no others.
	Kinds []client.Object
	// Index adds the indexes of the component's cache. It is optional.
	Index func(context.Context, client.FieldIndexer) error

	once   sync.Once
	failed error
	config *rest.Config
	admin  client.Client
	mapper meta.RESTMapper
}

// New returns a case with a namespace of its own.
func (s *Suite) New(tb testing.TB) *Case {
	tb.Helper()
	s.once.Do(s.connect)
	if s.failed != nil {
		tb.Fatalf("connect to the control plane of the tests: %v", s.failed)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "case-"}}
	if err := s.admin.Create(tb.Context(), namespace); err != nil {
		tb.Fatalf("make a namespace for the case: %v", err)
	}
	return &Case{
		Cluster:  &cluster.Cluster{TB: tb, Client: s.admin, Namespace: namespace.Name},
		suite:    s,
		watches:  &cluster.Requests{},
		requests: &cluster.Requests{KeepBodies: true},
		recorder: &recorder{},
	}
}

func (s *Suite) connect() {
	log.SetLogger(logr.Discard()) // or controller-runtime complains that it has none
	s.failed = func() (err error) {
		plane, err := controlplanetest.Shared(s.Version)
		if err != nil {
			return err
		}
		s.config = plane.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup)
		if s.config == nil { // the API server is another process
			s.config = plane.AdminConfig()
		}
		s.config.ContentType = "application/json" // so that the lines of writes can be read from their bodies
		if s.admin, err = cluster.Connect(s.config); err != nil {
			return err
		}
		s.mapper, err = s.newMapper()
		return err
	}()
}

func (s *Suite) newMapper() (meta.RESTMapper, error) {
	http, err := rest.HTTPClientFor(s.config)
	if err != nil {
		return nil, fmt.Errorf("make a client for discovery: %w", err)
	}
	return apiutil.NewDynamicRESTMapper(s.config, http)
}
