package main

import (
	"bytes"
	"io"
	"os"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
)

// gocloudStore uses the portable buckets of the Go CDK, on the client of the protocol.
type gocloudStore struct{ *blob.Bucket }

func newGoCloud(do string) store {
	switch {
	case os.Getenv(varSAS) != "":
		opened, _ := newAzblob(do).(azblobStore)
		return gocloudStore{must(azureblob.OpenBucket(background, opened.Client, nil))}
	case os.Getenv("HMAC_ACCESS_ID") != "":
		source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: googleToken(do)})
		client := must(gcp.NewHTTPClient(gcp.DefaultTransport(), source))
		options := &gcsblob.Options{ClientOptions: []option.ClientOption{option.WithEndpoint(os.Getenv("COSI_GCS_ENDPOINT") + "/storage/v1/")}}
		return gocloudStore{must(gcsblob.OpenBucket(background, client, bucket, options))}
	}
	opened, _ := newAWS(do).(awsStore)
	return gocloudStore{must(s3blob.OpenBucket(background, opened.Client, bucket, nil))}
}

func (c gocloudStore) write(key string, from io.Reader, o object) {
	isAzure, isGoogle := os.Getenv(varSAS) != "", os.Getenv("HMAC_ACCESS_ID") != ""
	switch {
	case o.ifMatch != "":
		unsupportedCase("it has no condition on ETags")
	case isAzure && key == oddKey:
		unsupportedCase("it escapes such keys in a way of its own")
	case isLarge(from) && !isAzure && !isGoogle:
		unsupportedCase("it uploads less than 16 MiB in one request")
	}
	options := &blob.WriterOptions{
		Metadata: o.metadata, ContentType: o.contentType, CacheControl: o.cacheControl, ContentDisposition: o.disposition,
		BufferSize: partSize, IfNotExist: o.ifNoneMatch != "",
	}
	w := must(c.NewWriter(background, key, options))
	must(io.Copy(w, from))
	check(w.Close())
}

// isLarge reports whether content is larger than a part.
func isLarge(content io.Reader) bool {
	known, ok := content.(*bytes.Reader)
	return ok && known.Len() > partSize
}

func (c gocloudStore) read(key string, offset, length int64) io.Reader {
	return must(c.NewRangeReader(background, key, offset, length, nil))
}

func (c gocloudStore) list(delimiter string, page int32) (names []string) {
	token := blob.FirstPageToken
	for token != nil {
		objects, next, err := c.ListPage(background, token, int(page), &blob.ListOptions{Prefix: key + "/", Delimiter: delimiter})
		check(err)
		for _, o := range objects {
			names = append(names, o.Key)
		}
		token = next
	}
	return names
}

func (c gocloudStore) copy(to string) { check(c.Copy(background, key+to, key, nil)) }

func (c gocloudStore) delete(key string) { check(c.Delete(background, key)) }

func (c gocloudStore) head() {
	attributes := must(c.Attributes(background, key))
	output(attributes.Size, attributes.Metadata)
}

func (c gocloudStore) special() map[string]func() {
	special := map[string]func(){"stream": func() { c.write(key, io.MultiReader(os.Stdin), object{}) }}
	for _, do := range []string{"get-changed", "get-version", "undelete", "checksum", "checksum-parts"} {
		special[do] = func() { unsupportedCase("its buckets have the same operations for all services") }
	}
	if os.Getenv("HMAC_ACCESS_ID") == "" && os.Getenv(varSAS) == "" {
		special["presign-get"] = func() { showSigned(must(c.SignedURL(background, key, nil)), nil) }
	}
	return special
}
