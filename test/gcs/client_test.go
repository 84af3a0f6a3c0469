// Package gcs_test uses GCS of the emulator with Google's client. It is a module of its own, so that the module of
// the product does not require that client.
package gcs_test

import (
	"context"

	"cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
)

// openGCS is also in docs/protocols.md; a test there compares both.
func openGCS(ctx context.Context, endpoint string, secret map[string]string) (*storage.BucketHandle, error) {
	token := &oauth2.Token{AccessToken: secret["HMAC_ACCESS_ID"] + ":" + secret["HMAC_SECRET"]}
	client, err := storage.NewClient(ctx,
		option.WithEndpoint(endpoint+"/storage/v1/"),
		option.WithTokenSource(oauth2.StaticTokenSource(token)))
	if err != nil {
		return nil, err
	}
	return client.Bucket(secret["BUCKET_NAME"]), nil
}
