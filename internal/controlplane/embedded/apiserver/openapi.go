package apiserver

import (
	"sync"

	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/openapi"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// definitionNamer names the definitions of all kinds.
var definitionNamer = sync.OnceValue(func() *openapinamer.DefinitionNamer {
	return openapinamer.NewDefinitionNamer(scheme.External, apiextensionsserver.Scheme)
})

func setOpenAPI(c *genericapiserver.Config) {
	c.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, definitionNamer())
	c.OpenAPIConfig.Info.Title = "Kubernetes"
	c.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, definitionNamer())
	c.OpenAPIV3Config.Info.Title = "Kubernetes"
}
