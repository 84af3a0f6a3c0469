package storeadmin

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/scenario/signedurl"
)

// azureClient uses a container of Azure. Its URLs have a signature, like presigned ones
// of S3.
type azureClient struct {
	signedurl.Sender

	container *url.URL
}

func newAzureClient(
	endpoint, bucket string, key fakedriver.Credentials, transport *http.Transport,
) (*azureClient, error) {
	base, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	container := sas.Container(base, bucket)
	container.RawQuery = sas.Token(bucket, key.AccessKeyID, key.SecretAccessKey, sas.AllPermissions, "https,http").Encode()
	return &azureClient{signedurl.Sender{Transport: transport, Attempts: retry.DefaultMaxAttempts}, container}, nil
}

func (a *azureClient) Put(ctx context.Context, key string, content []byte) error {
	_, err := a.Request(ctx, http.MethodPut, a.blob(key), http.Header{"X-Ms-Blob-Type": {"BlockBlob"}}, content)
	return err
}

func (a *azureClient) Delete(ctx context.Context, key string) error {
	_, err := a.Request(ctx, http.MethodDelete, a.blob(key), http.Header{"X-Ms-Delete-Snapshots": {"include"}}, nil)
	return err
}

func (a *azureClient) blob(key string) string {
	blob := *a.container
	blob.Path, blob.RawPath = blob.Path+"/"+key, "" // JoinPath would change keys such as a/../b
	return blob.String()
}

type blobPage struct {
	Blobs []struct {
		Name struct {
			Text    string `xml:",chardata"`
			Encoded bool   `xml:"Encoded,attr"`
		} `xml:"Name"`
		Size int64 `xml:"Properties>Content-Length"`
	} `xml:"Blobs>Blob"`
	NextMarker string `xml:"NextMarker"`
}

func (a *azureClient) List(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	for marker, more := "", true; more; more = marker != "" {
		page, err := a.page(ctx, marker)
		if err != nil {
			return nil, err
		}
		for _, blob := range page.Blobs {
			name := blob.Name.Text
			if blob.Name.Encoded {
				if name, err = url.PathUnescape(name); err != nil {
					return nil, fmt.Errorf("name of a blob %s: %w", strconv.Quote(blob.Name.Text), err)
				}
			}
			sizes[name] = blob.Size
		}
		marker = page.NextMarker
	}
	return sizes, nil
}

func (a *azureClient) page(ctx context.Context, marker string) (page blobPage, err error) {
	address := *a.container
	query := address.Query()
	query.Set("restype", "container")
	query.Set("comp", "list")
	if marker != "" {
		query.Set("marker", marker)
	}
	address.RawQuery = query.Encode()
	body, err := a.Request(ctx, http.MethodGet, address.String(), nil, nil)
	if err != nil {
		return page, err
	}
	if err := xml.Unmarshal([]byte(body), &page); err != nil {
		return page, fmt.Errorf("read the list of blobs: %w", err)
	}
	return page, nil
}
