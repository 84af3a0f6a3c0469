package integration_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

const namespacedManifests = "../../deploy/rbac-namespaced"

// namespacedCluster has a controller and a sidecar in the namespace of the test, which serve two other namespaces, with
// --watch-namespaces and the rights of deploy/rbac-namespaced only.
type namespacedCluster struct {
	*cluster.Cluster

	driver     string
	served     []string
	elsewhere  string           // a namespace that they do not serve
	sidecar    *cluster.Cluster // with the sidecar's requests
	controller cosicontroller.Options
	options    cosisidecar.Options // of the sidecar
	watched    []client.Object     // objects that must not change
}

func newNamespacedCluster(t *testing.T, version objectstorage.Version, driver *drivertest.Server, dirs ...string) *namespacedCluster {
	t.Helper()
	cl := &namespacedCluster{Cluster: cluster.New(t, version), driver: driver.Name()}
	cl.served, cl.elsewhere = []string{cl.namespace("a"), cl.namespace("b")}, cl.namespace("elsewhere")
	cl.sidecar = cl.Machine()
	for _, dir := range dirs {
		cl.grant(deploytest.Build(t, namespacedManifests+dir), "")
		for _, namespace := range cl.served {
			cl.grant(deploytest.Build(t, namespacedManifests+dir+"/served"), namespace)
		}
	}
	cl.controller = cosicontroller.Options{
		Logger: testr.New(t), RetryMaxDelay: time.Second, WatchNamespaces: cl.served,
		LeaderElection: true, LeaderElectionNamespace: cl.Namespace,
	}
	cl.options = cosisidecar.Options{
		Endpoint: drivertest.Endpoint, DialOptions: driver.DialOptions(), Logger: testr.New(t), RetryMaxDelay: time.Second,
		WatchNamespaces: cl.served, LeaderElection: true, LeaderElectionNamespace: cl.Namespace,
	}
	return cl
}

func (cl *namespacedCluster) namespace(name string) string {
	cl.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
	cl.Must(cl.Create(cl.Context(), namespace))
	return namespace.Name
}

// grant creates the objects for components in the namespace of the test instead of cosi-system, where no other rights
// are granted. Bindings outside of this namespace get its name. Objects without a namespace are created in the given one.
func (cl *namespacedCluster) grant(objects []*unstructured.Unstructured, namespace string) {
	cl.Helper()
	for _, object := range objects {
		text, err := object.MarshalJSON()
		cl.Must(err)
		cl.Must(object.UnmarshalJSON([]byte(strings.ReplaceAll(string(text), deploy.Namespace, cl.Namespace))))
		if namespace != "" {
			object.SetNamespace(namespace)
		}
		if strings.HasSuffix(object.GetKind(), "Binding") && object.GetNamespace() != cl.Namespace {
			object.SetName(object.GetName() + "-" + cl.Namespace)
		}
		cl.Must(client.IgnoreAlreadyExists(cl.Create(cl.Context(), object)))
	}
}

// keeps makes objects that no component may change. The sidecar would delete such a Secret in a namespace that it serves,
// because its access does not exist.
func (cl *namespacedCluster) keeps(finalizer string, objects ...client.Object) {
	cl.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: cl.elsewhere, Name: "credentials", Finalizers: []string{finalizer},
		Annotations: map[string]string{
			v1alpha2.BucketAccessReferenceAnnotation: cl.elsewhere + "/gone", v1alpha2.DriverNameAnnotation: cl.driver,
		},
	}}
	for _, object := range append(objects, secret) {
		cl.Must(cl.Create(cl.Context(), object))
		cl.watched = append(cl.watched, object)
		cl.Cleanup(func() { cl.ForceRemove(object) })
	}
}

// deleted makes a Bucket of keeps one that is being deleted.
func (cl *namespacedCluster) deleted(bucket client.Object) {
	cl.Helper()
	cl.Must(cl.Delete(cl.Context(), bucket))
	cl.Must(cl.Refresh(bucket))
}

// expectUntouched expects that the objects of keeps have not changed, that no call and no request was about them, and that
// every request was permitted.
func (cl *namespacedCluster) expectUntouched(calls []drivertest.Call) {
	cl.Helper()
	cl.Settle()
	cl.sidecar.Settle()
	for _, object := range cl.watched {
		before := object.GetResourceVersion()
		cl.Must(cl.Refresh(object))
		if after := object.GetResourceVersion(); after != before {
			cl.Errorf("%T %s has changed from version %s to %s", object, client.ObjectKeyFromObject(object), before, after)
		}
		for _, call := range calls {
			if object.GetNamespace() == "" && strings.Contains(fmt.Sprint(call.Request), object.GetName()) {
				cl.Errorf("the driver was called about Bucket %s: %s %v", object.GetName(), call.Method, call.Request)
			}
		}
	}
	for _, requests := range []*cluster.Requests{cl.Requests, cl.sidecar.Requests} {
		for _, request := range requests.All() {
			if request.Status == http.StatusForbidden || strings.Contains(request.Path, "/namespaces/"+cl.elsewhere+"/") {
				cl.Errorf("request to another namespace, or without the right: %s", request)
			}
		}
	}
}

// newName returns a name for cluster-scoped objects, which tests share.
func newName(prefix string) string { return prefix + "-" + rand.String(8) }

// expectReads expects that a component has listed the resources in each served namespace.
func (cl *namespacedCluster) expectReads(requests *cluster.Requests, resources ...string) {
	cl.Helper()
	read := map[string][]string{}
	for _, request := range requests.All() {
		_, path, namespaced := strings.Cut(request.Path, "/namespaces/")
		namespace, resource, _ := strings.Cut(path, "/")
		if namespaced && slices.Contains(resources, resource) && !slices.Contains(read[resource], namespace) {
			read[resource] = append(read[resource], namespace)
		}
	}
	want := map[string][]string{}
	for _, resource := range resources {
		slices.Sort(read[resource])
		want[resource] = slices.Sorted(slices.Values(cl.served))
	}
	if diff := cmp.Diff(want, read); diff != "" {
		cl.Errorf("resources that were read, by namespace: -want, +got:\n%s", diff)
	}
}
