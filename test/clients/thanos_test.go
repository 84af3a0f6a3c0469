package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-kit/log"
	"github.com/thanos-io/objstore"
	thanosazure "github.com/thanos-io/objstore/providers/azure"
	thanoss3 "github.com/thanos-io/objstore/providers/s3"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/env"
)

// TestThanos runs the acceptance test of Thanos' object store library. S3 is configured by what `cosi-emu env --format
// thanos` prints, and Azure by the connection string of the access. The library cannot use another endpoint for GCS.
func TestThanos(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		at := siteOf(t, scheme)
		for p, open := range map[protocol]func(*testing.T, environment) objstore.Bucket{s3: openS3, azure: openAzure} {
			t.Run(scheme+" "+string(p), func(t *testing.T) {
				access, err := at.access(t.Context(), p, "thanos-"+strings.ToLower(string(p)), readWrite)
				if err != nil {
					t.Fatal(err)
				}
				bucket := open(t, access)
				objstore.AcceptanceTest(t, bucket)
				if err := bucket.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func openS3(t *testing.T, access environment) objstore.Bucket {
	t.Helper()
	text := configurationOf(t, access, env.FormatThanos)
	var file struct {
		Type   string         `json:"type"`
		Config map[string]any `json:"config"`
	}
	if err := yaml.UnmarshalStrict(text, &file); err != nil || file.Type != string(objstore.S3) {
		t.Fatalf("%v in\n%s", err, text)
	}
	config, err := yaml.Marshal(file.Config)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := thanoss3.NewBucket(log.NewNopLogger(), config, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func openAzure(t *testing.T, access environment) objstore.Bucket {
	t.Helper()
	config := fmt.Sprintf("storage_account: %q\nstorage_connection_string: %q\ncontainer: %q\n",
		access["AZURE_STORAGE_ACCOUNT"], access["AZURE_STORAGE_CONNECTION_STRING"], access[varBucket])
	if authority := access[varCA]; authority != "" {
		config += fmt.Sprintf("http_config: {tls_config: {ca_file: %q}}\n", authority)
	}
	bucket, err := thanosazure.NewBucket(log.NewNopLogger(), []byte(config), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}
