package podproxy

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericrest "k8s.io/apiserver/pkg/registry/generic/rest"
	"k8s.io/apiserver/pkg/registry/rest"
)

// logREST serves the logs of a container.
type logREST struct{ proxy *Proxy }

var (
	_ rest.GetterWithOptions = &logREST{}
	_ rest.StorageMetadata   = &logREST{}
)

// New implements rest.Storage.
func (r *logREST) New() runtime.Object { return &corev1.Pod{} }

// Destroy implements rest.Storage.
func (r *logREST) Destroy() {}

// ProducesMIMETypes implements rest.StorageMetadata.
func (r *logREST) ProducesMIMETypes(string) []string { return []string{"text/plain"} }

// ProducesObject implements rest.StorageMetadata.
func (r *logREST) ProducesObject(string) any { return "" }

// NewGetOptions implements rest.GetterWithOptions.
func (r *logREST) NewGetOptions() (options runtime.Object, includesPath bool, pathKey string) {
	return &corev1.PodLogOptions{}, false, ""
}

// Get implements rest.GetterWithOptions.
func (r *logREST) Get(ctx context.Context, name string, options runtime.Object) (runtime.Object, error) {
	opts, ok := options.(*corev1.PodLogOptions)
	if !ok {
		return nil, fmt.Errorf("invalid options object: %#v", options)
	}
	if errs := validateLogOptions(opts); len(errs) > 0 {
		return nil, apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("PodLogOptions").GroupKind(), name, errs)
	}
	location, err := r.locate(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	return &genericrest.LocationStreamer{
		Location: location, Transport: r.proxy.Transport, ContentType: "text/plain", Flush: opts.Follow,
		ResponseChecker: genericrest.NewGenericHttpResponseChecker(corev1.Resource("pods/log"), name),
		RedirectChecker: genericrest.PreventRedirects,
	}, nil
}

// locate returns nil for a Pod without a node, whose log is empty.
func (r *logREST) locate(ctx context.Context, name string, opts *corev1.PodLogOptions) (*url.URL, error) {
	pod, err := r.proxy.pod(ctx, name)
	if err != nil {
		return nil, err
	}
	container, err := containerOf(pod, opts.Container)
	if err != nil || pod.Spec.NodeName == "" {
		return nil, err
	}
	location, _, err := r.proxy.node(ctx, pod)
	if err != nil {
		return nil, err
	}
	location.Path = fmt.Sprintf("/containerLogs/%s/%s/%s", pod.Namespace, pod.Name, container)
	location.RawQuery = logParameters(opts).Encode()
	return location, nil
}

func logParameters(opts *corev1.PodLogOptions) url.Values {
	query := url.Values{}
	for name, set := range map[string]bool{"follow": opts.Follow, "previous": opts.Previous, "timestamps": opts.Timestamps} {
		if set {
			query.Set(name, "true")
		}
	}
	for name, number := range map[string]*int64{
		"sinceSeconds": opts.SinceSeconds, "tailLines": opts.TailLines, "limitBytes": opts.LimitBytes,
	} {
		if number != nil {
			query.Set(name, strconv.FormatInt(*number, 10))
		}
	}
	if opts.SinceTime != nil {
		query.Set("sinceTime", opts.SinceTime.Format(time.RFC3339))
	}
	return query
}

func validateLogOptions(opts *corev1.PodLogOptions) field.ErrorList {
	var errs field.ErrorList
	if lines := opts.TailLines; lines != nil && *lines < 0 {
		errs = append(errs, field.Invalid(field.NewPath("tailLines"), *lines, "must be greater than or equal to 0"))
	}
	if bytes := opts.LimitBytes; bytes != nil && *bytes < 1 {
		errs = append(errs, field.Invalid(field.NewPath("limitBytes"), *bytes, "must be greater than 0"))
	}
	switch seconds := opts.SinceSeconds; {
	case seconds != nil && opts.SinceTime != nil:
		errs = append(errs, field.Forbidden(field.NewPath(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	case seconds != nil && *seconds < 1:
		errs = append(errs, field.Invalid(field.NewPath("sinceSeconds"), *seconds, "must be greater than 0"))
	}
	if opts.Stream != nil {
		errs = append(errs, field.Forbidden(field.NewPath("stream"), "may not be specified"))
	}
	return errs
}
