package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
)

// azblobStore uses Azure's SDK for Go, with the URI of the Secret.
type azblobStore struct{ *container.Client }

func newAzblob(do string) store {
	uri := os.Getenv(varSAS)
	if do == "anonymous" {
		uri, _, _ = strings.Cut(uri, "?")
	}
	return azblobStore{must(container.NewClientWithNoCredential(uri, nil))}
}

func (c azblobStore) blob() *blockblob.Client { return c.NewBlockBlobClient(key) }

func (c azblobStore) write(key string, from io.Reader, o object) {
	options := &blockblob.UploadStreamOptions{
		BlockSize: partSize, Metadata: map[string]*string{},
		HTTPHeaders: &blob.HTTPHeaders{
			BlobContentType: optional(o.contentType), BlobCacheControl: optional(o.cacheControl), BlobContentDisposition: optional(o.disposition),
		},
		AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{
			IfMatch: optional(azcore.ETag(o.ifMatch)), IfNoneMatch: optional(azcore.ETag(o.ifNoneMatch)),
		}},
	}
	for name, value := range o.metadata {
		options.Metadata[name] = &value
	}
	must(c.NewBlockBlobClient(key).UploadStream(background, from, options))
}

func (c azblobStore) read(key string, offset, length int64) io.Reader {
	return readBlob(c.NewBlobClient(key), offset, length)
}

func readBlob(b *blob.Client, offset, length int64) io.Reader {
	conditions := &blob.ModifiedAccessConditions{IfNoneMatch: optional(azcore.ETag(etag))}
	got := must(b.DownloadStream(background, &blob.DownloadStreamOptions{
		Range:            blob.HTTPRange{Offset: offset, Count: max(length, blob.CountToEnd)},
		AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: conditions},
	}))
	if got.Body == nil { // status 304 is no error
		check(errors.New(*got.ErrorCode))
	}
	return got.Body
}

func (c azblobStore) list(delimiter string, page int32) (names []string) {
	if delimiter == "" {
		options := &container.ListBlobsFlatOptions{Prefix: new(key + "/"), MaxResults: &page}
		for pages := c.NewListBlobsFlatPager(options); pages.More(); {
			for _, b := range must(pages.NextPage(background)).Segment.BlobItems {
				names = append(names, *b.Name)
			}
		}
		return names
	}
	options := &container.ListBlobsHierarchyOptions{Prefix: new(key + "/"), MaxResults: &page}
	for pages := c.NewListBlobsHierarchyPager(delimiter, options); pages.More(); {
		page := must(pages.NextPage(background)).Segment
		for _, b := range page.BlobItems {
			names = append(names, *b.Name)
		}
		for _, p := range page.BlobPrefixes {
			names = append(names, *p.Name)
		}
	}
	return names
}

func (c azblobStore) copy(to string) {
	must(c.NewBlobClient(key+to).StartCopyFromURL(background, c.blob().URL(), nil))
}

func (c azblobStore) delete(key string) { must(c.NewBlobClient(key).Delete(background, nil)) }

func (c azblobStore) head() {
	p := must(c.blob().GetProperties(background, nil))
	output(*p.ContentLength)
	dump(p.Metadata)
}

func (c azblobStore) special() map[string]func() {
	return map[string]func(){
		"tags": func() {
			must(c.blob().SetTags(background, map[string]string{"project": "cosi"}, nil))
			dump(must(c.blob().GetTags(background, nil)).BlobTagSet)
		},
		"append": func() {
			b := c.NewAppendBlobClient(key)
			must(b.Create(background, nil))
			for range 2 {
				must(b.AppendBlock(background, streaming.NopCloser(file()), nil))
			}
		},
		"snapshot": func() {
			taken := must(c.blob().CreateSnapshot(background, nil))
			c.write(key, strings.NewReader("new"), object{})
			save("out", readBlob(must(c.NewBlobClient(key).WithSnapshot(*taken.Snapshot)), 0, -1))
		},
		"lease": func() { // writes a leased blob without the lease
			l := must(lease.NewBlobClient(c.blob(), nil))
			must(l.AcquireLease(background, -1, nil))
			_, rejected := c.blob().Upload(background, streaming.NopCloser(file()), nil)
			must(l.ReleaseLease(background, nil))
			check(rejected)
		},
	}
}
