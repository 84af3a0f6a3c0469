package seam

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// transportOutcome names the error of a request without a response.
func transportOutcome(err error) string {
	switch {
	case errors.Is(err, ErrFenced):
		return OutcomeFenced
	case errors.Is(err, context.Canceled):
		return "Canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "DeadlineExceeded"
	default:
		return "ConnectionError"
	}
}

// statusOutcome names an error response by the API server's reason, or by its HTTP
// status.
func statusOutcome(resp *http.Response, body []byte) (outcome, message string) {
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Reason != "" {
		return string(status.Reason), status.Message
	}
	return http.StatusText(resp.StatusCode), ""
}

func isJSON(h http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && mediaType == runtime.ContentTypeJSON
}
