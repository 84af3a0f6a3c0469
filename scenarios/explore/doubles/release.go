package doubles

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// releaseClaim takes the finalizer off the BucketClaim of a Bucket that is about
// to be deleted.
func releaseClaim(ctx context.Context, next http.RoundTripper, deletion *http.Request) {
	get := deletion.Clone(ctx)
	get.Method, get.Body, get.ContentLength = http.MethodGet, http.NoBody, 0
	response, err := next.RoundTrip(get)
	if err != nil {
		return
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	var bucket struct {
		Spec struct {
			BucketClaim struct{ Name, Namespace string } `json:"bucketClaim"`
		} `json:"spec"`
	}
	if json.Unmarshal(body, &bucket) != nil || bucket.Spec.BucketClaim.Name == "" {
		return
	}
	patch := deletion.Clone(ctx)
	patch.Method = http.MethodPatch
	patch.Header.Set("Content-Type", "application/merge-patch+json")
	root, _, _ := strings.Cut(patch.URL.Path, "/buckets/")
	patch.URL.Path = root + "/namespaces/" + bucket.Spec.BucketClaim.Namespace + "/bucketclaims/" + bucket.Spec.BucketClaim.Name
	if response, err := next.RoundTrip(withBody(patch, []byte(`{"metadata":{"finalizers":null}}`))); err == nil {
		_ = response.Body.Close()
	}
}
