package apiserver

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
)

// longRunning reports whether a request may take longer than the time limit.
var longRunning = genericfilters.BasicLongRunningRequestCheck(sets.NewString("watch"), sets.NewString(streams...))

// streams are the subresources of Pods whose requests last as long as their clients want.
var streams = []string{"attach", "exec", "log", "portforward"}

// IsStream reports whether a request may last as long as its client wants. It needs no RequestInfo, and
// regards all logs as followed.
func IsStream(r *http.Request) bool {
	if watch := r.URL.Query().Get("watch"); watch != "" && watch != "0" && watch != "false" {
		return true
	}
	// /api/v1/namespaces/NAMESPACE/pods/NAME/SUBRESOURCE
	parts := strings.Split(r.URL.Path, "/")
	return len(parts) == 8 && parts[5] == "pods" && slices.Contains(streams, parts[7])
}

// chain has the filters that decide who may do what. It has none of a kube-apiserver's
// for audits, traces, latencies, fairness and browsers: they cost as much time as a
// write in memory.
func chain(handler http.Handler, c *genericapiserver.Config) http.Handler {
	handler = genericapifilters.WithAuthorization(handler, c.Authorization.Authorizer, c.Serializer)
	handler = impersonation.WithConstrainedImpersonation(handler, c.Authorization.Authorizer, c.Serializer)
	handler = genericapifilters.WithAuthentication(handler, c.Authentication.Authenticator,
		genericapifilters.Unauthorized(c.Serializer), c.Authentication.APIAudiences, nil)
	handler = genericapifilters.WithWarningRecorder(handler)
	handler = genericapifilters.WithRequestDeadline(handler, nil, nil, c.LongRunningFunc, c.Serializer, c.RequestTimeout)
	handler = genericfilters.WithWaitGroup(handler, c.LongRunningFunc, c.NonLongRunningRequestWaitGroup)
	handler = genericapifilters.WithCacheControl(handler)
	handler = genericapifilters.WithRequestInfo(handler, c.RequestInfoResolver)
	handler = genericapifilters.WithRequestReceivedTimestamp(handler) // the deadline counts from it
	handler = genericfilters.WithPanicRecovery(handler, c.RequestInfoResolver)
	return genericapifilters.WithAuditInit(handler) // handlers of patches require it
}
