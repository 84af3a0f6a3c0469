package apiserver

import (
	"fmt"
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/request"
)

// notFound answers requests for resources that the server does not serve. Its message begins as
// kube-apiserver's, which may serve them.
func notFound(w http.ResponseWriter, r *http.Request) {
	message := "404 page not found"
	if info, ok := request.RequestInfoFrom(r.Context()); ok && info.IsResourceRequest {
		group := info.APIGroup
		if group == "" {
			group = "core"
		}
		message += fmt.Sprintf(
			"\nThe embedded control plane serves custom resources and the built-in kinds that COSI uses. It does not serve %s of %s/%s.",
			info.Resource, group, info.APIVersion)
	}
	http.Error(w, message, http.StatusNotFound)
}
