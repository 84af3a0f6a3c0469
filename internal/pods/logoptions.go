package pods

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// logOptions returns the options in the query of a request for logs, as an API server sends it.
func logOptions(query url.Values) (*corev1.PodLogOptions, error) {
	options := &corev1.PodLogOptions{}
	for name, target := range map[string]*bool{"follow": &options.Follow, "previous": &options.Previous, "timestamps": &options.Timestamps} {
		if text := query.Get(name); text != "" {
			value, err := strconv.ParseBool(text)
			if err != nil {
				return nil, fmt.Errorf("%s %q must be true or false", name, text)
			}
			*target = value
		}
	}
	for name, target := range map[string]**int64{
		"tailLines": &options.TailLines, "limitBytes": &options.LimitBytes, "sinceSeconds": &options.SinceSeconds,
	} {
		if text := query.Get(name); text != "" {
			value, err := strconv.ParseInt(text, 10, 64)
			if err != nil || value < 0 {
				return nil, fmt.Errorf("%s %q must be a number of at least 0", name, text)
			}
			*target = &value
		}
	}
	if text := query.Get("sinceTime"); text != "" {
		value, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, fmt.Errorf("sinceTime %q must have the form of RFC 3339", text)
		}
		options.SinceTime = &metav1.Time{Time: value}
	}
	return options, nil
}
