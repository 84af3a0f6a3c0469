package doubles

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// annotateForeign writes to all Buckets of other drivers than the one of the Bucket
// that was written to.
func annotateForeign(ctx context.Context, next http.RoundTripper, write *http.Request) {
	root, name, _ := strings.Cut(strings.TrimSuffix(write.URL.Path, "/status"), "/buckets/")
	list := write.Clone(ctx)
	list.Method, list.Body, list.ContentLength = http.MethodGet, http.NoBody, 0
	list.URL.Path, list.URL.RawQuery = root+"/buckets", ""
	response, err := next.RoundTrip(list)
	if err != nil {
		return
	}
	var all struct {
		Items []struct {
			Metadata struct{ Name string }       `json:"metadata"`
			Spec     struct{ DriverName string } `json:"spec"`
		} `json:"items"`
	}
	err = json.NewDecoder(response.Body).Decode(&all)
	_ = response.Body.Close()
	if err != nil {
		return
	}
	own := ""
	for _, bucket := range all.Items {
		if bucket.Metadata.Name == name {
			own = bucket.Spec.DriverName
		}
	}
	for _, bucket := range all.Items {
		if bucket.Spec.DriverName == own {
			continue
		}
		patch := write.Clone(ctx)
		patch.Method = http.MethodPatch
		patch.Header.Set("Content-Type", "application/merge-patch+json")
		patch.URL.Path, patch.URL.RawQuery = root+"/buckets/"+bucket.Metadata.Name, ""
		if response, err := next.RoundTrip(withBody(patch, []byte(`{"metadata":{"annotations":{"seen":"yes"}}}`))); err == nil {
			_ = response.Body.Close()
		}
	}
}
