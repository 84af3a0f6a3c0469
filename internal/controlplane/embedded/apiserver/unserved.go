package apiserver

import (
	"fmt"
	"net/http"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/registry"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// unserved are the workloads that no controller of the embedded control plane runs. Discovery lists
// them, so that clients send their requests, whose answers name the remedy. They are in no category, and
// so `kubectl get all` does not ask for them.
var unserved = map[schema.GroupVersion][]metav1.APIResource{
	{Group: "apps", Version: "v1"}: {
		workload("daemonset", "DaemonSet", "ds"), workload("deployment", "Deployment", "deploy"),
		workload("replicaset", "ReplicaSet", "rs"), workload("statefulset", "StatefulSet", "sts"),
	},
	{Group: "batch", Version: "v1"}: {workload("cronjob", "CronJob", "cj"), workload("job", "Job")},
}

func workload(singular, kind string, shortNames ...string) metav1.APIResource {
	return metav1.APIResource{
		Name: singular + "s", SingularName: singular, Kind: kind, Namespaced: true, ShortNames: shortNames,
		Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update"},
	}
}

// rejectUnserved answers the requests for the unserved kinds, except in versions that are served.
func rejectUnserved(s *genericapiserver.GenericAPIServer, isServed func(schema.GroupVersion) bool) error {
	for version, resources := range unserved {
		if isServed(version) {
			continue
		}
		listed, err := endpoints.ConvertGroupVersionIntoToDiscovery(resources)
		if err != nil {
			return fmt.Errorf("list the resources of %s: %w", version, err)
		}
		named := metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version}
		group := metav1.APIGroup{Name: version.Group, Versions: []metav1.GroupVersionForDiscovery{named}, PreferredVersion: named}
		s.DiscoveryGroupManager.AddGroup(group)
		s.AggregatedDiscoveryGroupManager.AddGroupVersion(version.Group, apidiscoveryv2.APIVersionDiscovery{
			Version: version.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Resources: listed,
		})
		root := genericapiserver.APIGroupPrefix + "/" + version.Group
		lister := discovery.APIResourceListerFunc(func() []metav1.APIResource { return resources })
		s.Handler.NonGoRestfulMux.Handle(root, discovery.NewAPIGroupHandler(s.Serializer, group))
		s.Handler.NonGoRestfulMux.Handle(root+"/"+version.Version, discovery.NewAPIVersionHandler(s.Serializer, version, lister))
		s.Handler.NonGoRestfulMux.HandlePrefix(root+"/"+version.Version+"/", rejecting(version))
	}
	return nil
}

func rejecting(version schema.GroupVersion) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := request.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest {
			notFound(w, r)
			return
		}
		for _, resource := range unserved[version] {
			if resource.Name == info.Resource {
				err := registry.Unserved(version.WithResource(resource.Name).GroupResource(), info.Name)
				responsewriters.ErrorNegotiated(err, scheme.Codecs(), version, w, r)
				return
			}
		}
		notFound(w, r)
	})
}
