package driverserver_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func azureOptions(t *testing.T) driverserver.Options {
	t.Helper()
	dir := harness.SocketDir(t)
	return driverserver.Options{
		Endpoint: "unix://" + filepath.Join(dir, "cosi.sock"), S3BindAddress: "127.0.0.1:0", AzureBindAddress: harness.FreeAddress(t),
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolAzure}, DataDir: filepath.Join(dir, "data"),
	}
}

func TestAzure(t *testing.T) {
	opts := azureOptions(t)
	ctx := t.Context()
	var tokens []string
	for life, method := range []string{http.MethodPut, http.MethodGet} {
		stop := run(t, opts)
		_, provisioner := dial(t, opts.Endpoint)
		created, err := provisioner.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "photos"})
		if err != nil || created.GetProtocols().GetAzure().GetStorageAccount() == "" {
			t.Fatalf("DriverCreateBucket() = %v, %v", created, err)
		}
		token := grantAzure(ctx, t, provisioner)
		tokens = append(tokens, token)
		if !strings.HasPrefix(token, "http://"+opts.AzureBindAddress+"/") {
			t.Errorf("life %d: the URI is not that of the service at %s", life, opts.AzureBindAddress)
		}
		status, body := askAzure(ctx, t, method, token)
		if status >= http.StatusMultipleChoices || method == http.MethodGet && body != "content" {
			t.Errorf("life %d: %s: %d %s", life, method, status, body)
		}
		stop()
	}
	if tokens[0] != tokens[1] {
		t.Error("the signature is another one after the restart")
	}
}

func grantAzure(ctx context.Context, t *testing.T, provisioner cosiv1alpha2.ProvisionerClient) (token string) {
	t.Helper()
	all := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
	granted, err := provisioner.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: "ba-1", Protocol: &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_AZURE},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: "photos", ObjectDataAccessMode: all, ObjectMetadataAccessMode: all, BucketMetadataAccessMode: all,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return granted.GetCredentials().GetAzure().GetAccessToken()
}

// askAzure sends a request for the blob x, with the content "content".
func askAzure(ctx context.Context, t *testing.T, method, token string) (int, string) {
	t.Helper()
	container, signature, _ := strings.Cut(token, "?")
	r, err := http.NewRequestWithContext(ctx, method, container+"/x?"+signature, strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPut {
		r.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	}
	return send(t, r)
}

func TestAzureRejections(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*driverserver.Options)
		says   string
	}{
		"Everywhere": {func(o *driverserver.Options) { o.AzureBindAddress = ":10000" }, "Azure endpoint"},
		"Endpoint":   {func(o *driverserver.Options) { o.AzureEndpoint = "127.0.0.1:10000" }, "Azure endpoint"},
	} {
		opts := azureOptions(t)
		tc.change(&opts)
		if err := driverserver.Run(t.Context(), opts); !errors.Is(err, driverserver.ErrOptions) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: Run() = %v", name, err)
		}
	}
}
