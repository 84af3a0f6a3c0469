package dataplane

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// OutcomeOK is the outcome of a request that succeeded.
const OutcomeOK = "OK"

// Observer is called before a request with its operation and its path. It returns a function that
// is called with the outcome.
type Observer func(operation, path string) (ended func(outcome, message string))

type observerKey struct{}

// WithObserver returns a context whose requests are observed.
func WithObserver(ctx context.Context, observe Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observe)
}

type observed struct{ next http.RoundTripper }

func (o observed) RoundTrip(r *http.Request) (*http.Response, error) {
	observe, ok := r.Context().Value(observerKey{}).(Observer)
	if !ok {
		return o.next.RoundTrip(r)
	}
	operation := cmp.Or(awsmiddleware.GetOperationName(r.Context()), r.Method)
	ended := observe(operation, strings.TrimPrefix(r.URL.Path, "/"))
	response, err := o.next.RoundTrip(r)
	switch {
	case err != nil:
		ended("NoAnswer", err.Error())
	case response.StatusCode >= http.StatusBadRequest:
		ended(strconv.Itoa(response.StatusCode), http.StatusText(response.StatusCode))
	default:
		ended(OutcomeOK, "")
	}
	return response, err
}
