package registry

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Unserved is the answer to a request for a resource whose controller the embedded control plane does not run.
func Unserved(resource schema.GroupResource, name string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
		Message: fmt.Sprintf("the embedded control plane does not run %s: "+
			"create Pods, or start the emulator with `cosi-emu up --pods --control-plane envtest`", resource),
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: name},
	}}
}

// unservedREST answers all requests for a resource with the error of Unserved. Its group and version have other
// resources that are served.
type unservedREST struct {
	resource   schema.GroupResource
	singular   string
	shortNames []string
	object     func() runtime.Object
	list       func() runtime.Object
}

var (
	_ rest.Lister               = &unservedREST{}
	_ rest.Getter               = &unservedREST{}
	_ rest.CreaterUpdater       = &unservedREST{}
	_ rest.GracefulDeleter      = &unservedREST{}
	_ rest.Scoper               = &unservedREST{}
	_ rest.SingularNameProvider = &unservedREST{}
	_ rest.ShortNamesProvider   = &unservedREST{}
	_ rest.TableConvertor       = &unservedREST{}
)

// New implements rest.Storage.
func (r *unservedREST) New() runtime.Object { return r.object() }

// NewList implements rest.Lister.
func (r *unservedREST) NewList() runtime.Object { return r.list() }

// Destroy implements rest.Storage.
func (r *unservedREST) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (r *unservedREST) NamespaceScoped() bool { return true }

// GetSingularName implements rest.SingularNameProvider.
func (r *unservedREST) GetSingularName() string { return r.singular }

// ShortNames implements rest.ShortNamesProvider.
func (r *unservedREST) ShortNames() []string { return r.shortNames }

// ConvertToTable implements rest.TableConvertor.
func (r *unservedREST) ConvertToTable(context.Context, runtime.Object, runtime.Object) (*metav1.Table, error) {
	return nil, Unserved(r.resource, "")
}

// List implements rest.Lister.
func (r *unservedREST) List(context.Context, *metainternalversion.ListOptions) (runtime.Object, error) {
	return nil, Unserved(r.resource, "")
}

// Get implements rest.Getter.
func (r *unservedREST) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	return nil, Unserved(r.resource, name)
}

// Create implements rest.CreaterUpdater.
func (r *unservedREST) Create(
	context.Context, runtime.Object, rest.ValidateObjectFunc, *metav1.CreateOptions,
) (runtime.Object, error) {
	return nil, Unserved(r.resource, "")
}

// Update implements rest.CreaterUpdater.
func (r *unservedREST) Update(
	_ context.Context, name string, _ rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc,
	_ bool, _ *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return nil, false, Unserved(r.resource, name)
}

// Delete implements rest.GracefulDeleter.
func (r *unservedREST) Delete(
	_ context.Context, name string, _ rest.ValidateObjectFunc, _ *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	return nil, false, Unserved(r.resource, name)
}
