package mutants

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
)

// annotateForeign annotates all Buckets of other drivers than the driver of the written
// Bucket.
func annotateForeign(ctx context.Context, next http.RoundTripper, write *http.Request) {
	all, err := list(ctx, next, write, "")
	if err != nil {
		return
	}
	drivers := map[string]string{}
	for _, object := range all {
		var bucket struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Spec struct {
				DriverName string `json:"driverName"`
			} `json:"spec"`
		}
		if json.Unmarshal(object, &bucket) != nil {
			return
		}
		drivers[bucket.Metadata.Name] = bucket.Spec.DriverName
	}
	own := objectPath(write)
	for name, driver := range drivers {
		if driver != drivers[path.Base(own)] {
			patch(ctx, next, write, path.Join(path.Dir(own), name), `{"metadata":{"annotations":{"seen":"yes"}}}`)
		}
	}
}
