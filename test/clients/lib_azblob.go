package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
)

// azblobClient is Azure's SDK for Go, with the URI of the Secret.
type azblobClient struct{ *container.Client }

func newAzblob(uri string) azblobClient {
	return azblobClient{must(container.NewClientWithNoCredential(uri, &container.ClientOptions{
		ClientOptions: azcore.ClientOptions{Transport: &http.Client{Transport: transport()}},
	}))}
}

func (c azblobClient) blob() *blockblob.Client { return c.NewBlockBlobClient(key) }

func (c azblobClient) put(o *blockblob.UploadOptions) {
	must(c.blob().Upload(background, streaming.NopCloser(file()), o))
}

func (c azblobClient) putIf(conditions blob.ModifiedAccessConditions) {
	c.put(&blockblob.UploadOptions{AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &conditions}})
}

func (c azblobClient) parts(from io.Reader) {
	must(c.blob().UploadStream(background, from, &blockblob.UploadStreamOptions{BlockSize: partSize}))
}

func read(b *blob.Client, o *blob.DownloadStreamOptions) io.Reader {
	got := must(b.DownloadStream(background, o))
	if got.Body == nil { // status 304 is no error
		check(errors.New(*got.ErrorCode))
	}
	return got.Body
}

func (c azblobClient) list() (names []string) {
	options := &container.ListBlobsFlatOptions{Prefix: new(key + "/"), MaxResults: new(int32(100))}
	for pages := c.NewListBlobsFlatPager(options); pages.More(); {
		for _, b := range must(pages.NextPage(background)).Segment.BlobItems {
			names = append(names, *b.Name)
		}
	}
	return names
}

func (c azblobClient) delimiter() {
	options := &container.ListBlobsHierarchyOptions{Prefix: new(key + "/"), MaxResults: new(int32(1))}
	for pages := c.NewListBlobsHierarchyPager("/", options); pages.More(); {
		page := must(pages.NextPage(background)).Segment
		for _, b := range page.BlobItems {
			output(*b.Name)
		}
		for _, p := range page.BlobPrefixes {
			output(*p.Name)
		}
	}
}

func (c azblobClient) copy(suffix string) {
	must(c.NewBlobClient(key+suffix).StartCopyFromURL(background, c.blob().URL(), nil))
}

func (c azblobClient) delete(name string) {
	must(c.NewBlobClient(name).Delete(background, nil))
}

func (c azblobClient) head() {
	p := must(c.blob().GetProperties(background, nil))
	output(*p.ContentLength)
	for _, value := range p.Metadata {
		output(*value)
	}
}

func (c azblobClient) tags() {
	must(c.blob().SetTags(background, map[string]string{"project": "cosi"}, nil))
	got := must(c.blob().GetTags(background, nil)).BlobTagSet[0]
	output(*got.Key, *got.Value)
}

func (c azblobClient) append() {
	b := c.NewAppendBlobClient(key)
	must(b.Create(background, nil))
	for range 2 {
		must(b.AppendBlock(background, streaming.NopCloser(file()), nil))
	}
}

func (c azblobClient) snapshot() {
	taken := must(c.blob().CreateSnapshot(background, nil))
	c.parts(strings.NewReader("new"))
	save(read(must(c.NewBlobClient(key).WithSnapshot(*taken.Snapshot)), nil))
}

// lease writes a leased blob without the lease.
func (c azblobClient) lease() {
	l := must(lease.NewBlobClient(c.blob(), nil))
	must(l.AcquireLease(background, -1, nil))
	_, rejected := c.blob().Upload(background, streaming.NopCloser(file()), nil)
	must(l.ReleaseLease(background, nil))
	check(rejected)
}

func azblobCases() map[string]func() {
	c := newAzblob(os.Getenv(varSAS))
	b := c.NewBlobClient(key)
	return map[string]func(){
		"put":       func() { c.put(nil) },
		"get":       func() { save(read(b, nil)) },
		"head":      c.head,
		"list":      func() { show(c.list()) },
		"delimiter": c.delimiter,
		"range": func() {
			save(read(b, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: 1000, Count: 1000}}))
		},
		"copy":        func() { c.copy(".copy") },
		"move":        func() { c.copy(".moved"); c.delete(key) },
		"delete":      func() { c.delete(key) },
		"delete-many": func() { c.delete(key + "/1"); c.delete(key + "/2") },
		"put-parts":   func() { c.parts(file()) },
		"stream":      func() { c.parts(os.Stdin) },
		"sync": func() {
			synchronize(func(k string, content []byte) {
				must(c.NewBlockBlobClient(k).UploadBuffer(background, content, nil))
			}, c.list, func(k string) io.Reader { return read(c.NewBlobClient(k), nil) })
		},
		"put-metadata": func() { c.put(&blockblob.UploadOptions{Metadata: map[string]*string{"colour": new("blue")}}) },
		"get-metadata": c.head,
		"put-headers": func() {
			c.put(&blockblob.UploadOptions{HTTPHeaders: &blob.HTTPHeaders{
				BlobContentType: new(contentType), BlobCacheControl: new(cacheFor), BlobContentDisposition: new(disposition),
			}})
		},
		"tags":      c.tags,
		"put-new":   func() { c.putIf(blob.ModifiedAccessConditions{IfNoneMatch: new(azcore.ETagAny)}) },
		"put-match": func() { c.putIf(blob.ModifiedAccessConditions{IfMatch: new(azcore.ETag(`"0123"`))}) },
		"get-changed": func() {
			conditions := &blob.ModifiedAccessConditions{IfNoneMatch: new(azcore.ETag(os.Getenv("ETAG")))}
			save(read(b, &blob.DownloadStreamOptions{AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: conditions}}))
		},
		"append": c.append, "snapshot": c.snapshot, "lease": c.lease,
		"anonymous": func() {
			uri, _, _ := strings.Cut(os.Getenv(varSAS), "?")
			save(read(newAzblob(uri).NewBlobClient(key), nil))
		},
	}
}
