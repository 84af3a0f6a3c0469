package doubles

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// releaseClaim takes the finalizer off the BucketClaim of a Bucket whose deletion
// has been asked for.
func releaseClaim(ctx context.Context, next http.RoundTripper, deletion *http.Request) {
	object, err := read(ctx, next, deletion)
	if err != nil {
		return
	}
	var bucket struct {
		Spec struct {
			BucketClaim struct{ Name, Namespace string } `json:"bucketClaimRef"`
		} `json:"spec"`
	}
	if json.Unmarshal(object, &bucket) != nil || bucket.Spec.BucketClaim.Name == "" {
		return
	}
	root, _, _ := strings.Cut(deletion.URL.Path, "/buckets/")
	claim := root + "/namespaces/" + bucket.Spec.BucketClaim.Namespace + "/bucketclaims/" + bucket.Spec.BucketClaim.Name
	patch(ctx, next, deletion, claim, `{"metadata":{"finalizers":null}}`)
}
