package apiserver

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	restful "github.com/emicklei/go-restful/v3"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	apiextensionslisters "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/openapi"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// definitionNamer names the definitions of all kinds.
var definitionNamer = sync.OnceValue(func() *openapinamer.DefinitionNamer {
	return openapinamer.NewDefinitionNamer(scheme.External(), apiextensionsserver.Scheme)
})

// setOpenAPI describes the built-in kinds. An openAPI serves the descriptions, instead of the server.
func setOpenAPI(c *genericapiserver.Config) {
	c.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, definitionNamer())
	c.OpenAPIConfig.Info.Title = "Kubernetes"
	c.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, definitionNamer())
	c.OpenAPIV3Config.Info.Title = "Kubernetes"
	c.SkipOpenAPIInstallation = true
}

// openAPI serves the OpenAPI documents of all kinds. It makes them when a client asks for them, and again
// after a custom resource has changed: few clients ask, and the documents take a sixth of the
// processor time of a start.
type openAPI struct {
	services    *restful.Container
	v2          *common.Config
	v3          *common.OpenAPIV3Config
	definitions apiextensionslisters.CustomResourceDefinitionLister

	mu        sync.Mutex
	versions  string // the definitions in the documents, and their versions
	documents http.Handler
}

// serveOpenAPI adds the documents to a server whose groups are installed.
func serveOpenAPI(s *apiextensionsserver.CustomResourceDefinitions, c *genericapiserver.Config) {
	api := &openAPI{
		services: s.GenericAPIServer.Handler.GoRestfulContainer, v2: c.OpenAPIConfig, v3: c.OpenAPIV3Config,
		definitions: s.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister(),
	}
	paths := s.GenericAPIServer.Handler.NonGoRestfulMux
	paths.Handle("/openapi/v2", api)
	paths.Handle("/openapi/v3", api)
	paths.HandlePrefix("/openapi/v3/", api)
}

// ServeHTTP implements http.Handler.
func (o *openAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	documents, err := o.current()
	if err != nil {
		responsewriters.InternalError(w, r, fmt.Errorf("make the OpenAPI documents: %w", err))
		return
	}
	documents.ServeHTTP(w, r)
}

// current returns a handler of the documents for the custom resources that are served now.
func (o *openAPI) current() (http.Handler, error) {
	all, err := o.definitions.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	served := slices.DeleteFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established)
	})
	slices.SortFunc(served, func(a, b *apiextensionsv1.CustomResourceDefinition) int { return cmp.Compare(a.Name, b.Name) })
	var versions strings.Builder
	for _, d := range served {
		fmt.Fprintf(&versions, "%s %s %d\n", d.Name, d.UID, d.Generation)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.documents != nil && o.versions == versions.String() {
		return o.documents, nil
	}
	documents, err := o.build(served)
	if err != nil {
		return nil, err
	}
	o.versions, o.documents = versions.String(), documents
	return documents, nil
}

func (o *openAPI) build(definitions []*apiextensionsv1.CustomResourceDefinition) (http.Handler, error) {
	paths := mux.NewPathRecorderMux("openapi")
	v2, builtin := routes.OpenAPI{Config: o.v2}.InstallV2(o.services, paths)
	v3 := routes.OpenAPI{V3Config: o.v3}.InstallV3(o.services, paths)
	var swaggers []*spec.Swagger
	groups := map[schema.GroupVersion][]*spec3.OpenAPI{}
	for _, d := range definitions {
		for _, version := range d.Spec.Versions {
			if !version.Served {
				continue
			}
			swagger, err := builder.BuildOpenAPIV2(d, version.Name, builder.Options{V2: true, IncludeSelectableFields: true})
			if err != nil {
				return nil, fmt.Errorf("version 2 of %s %s: %w", d.Name, version.Name, err)
			}
			swagger.Definitions = handler.PruneDefaults(swagger.Definitions) // InstallV2 prunes the built-in definitions
			swaggers = append(swaggers, swagger)
			document, err := builder.BuildOpenAPIV3(d, version.Name, builder.Options{IncludeSelectableFields: true})
			if err != nil {
				return nil, fmt.Errorf("version 3 of %s %s: %w", d.Name, version.Name, err)
			}
			group := schema.GroupVersion{Group: d.Spec.Group, Version: version.Name}
			groups[group] = append(groups[group], document)
		}
	}
	merged, err := builder.MergeSpecs(builtin, swaggers...)
	if err != nil {
		return nil, err
	}
	if err := v2.UpdateSpec(merged); err != nil {
		return nil, err
	}
	for group, documents := range groups {
		document, err := builder.MergeSpecsV3(documents...)
		if err != nil {
			return nil, err
		}
		v3.UpdateGroupVersion("apis/"+group.String(), document)
	}
	return paths, nil
}
