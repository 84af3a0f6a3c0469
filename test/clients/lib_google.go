package main

import (
	"errors"
	"io"
	"os"

	"cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// googleStore uses Google's client for Go, with the key as its token.
type googleStore struct{ *storage.BucketHandle }

func newGoogle(do string) store {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: googleToken(do)})
	endpoint := option.WithEndpoint(os.Getenv("COSI_GCS_ENDPOINT") + "/storage/v1/")
	client := must(storage.NewClient(background, endpoint, option.WithTokenSource(source)))
	if !retries {
		client.SetRetry(storage.WithPolicy(storage.RetryNever))
	}
	return googleStore{client.Bucket(bucket)}
}

// googleToken is the key of a Secret as a token.
func googleToken(do string) string {
	if do == "anonymous" {
		return ""
	}
	return os.Getenv("HMAC_ACCESS_ID") + ":" + os.Getenv("HMAC_SECRET")
}

// write has conditions on generations, where other services have ETags.
func (c googleStore) write(key string, from io.Reader, o object) {
	handle := c.Object(key)
	if o.ifNoneMatch != "" {
		handle = handle.If(storage.Conditions{DoesNotExist: true})
	}
	if o.ifMatch != "" {
		handle = handle.If(storage.Conditions{GenerationMatch: 1})
	}
	w := handle.NewWriter(background)
	w.ChunkSize, w.Metadata = partSize, o.metadata
	w.ContentType, w.CacheControl, w.ContentDisposition = o.contentType, o.cacheControl, o.disposition
	must(io.Copy(w, from))
	check(w.Close())
}

func (c googleStore) read(key string, offset, length int64) io.Reader {
	return must(c.Object(key).NewRangeReader(background, offset, length))
}

func (c googleStore) list(delimiter string, page int32) (names []string) {
	objects := c.Objects(background, &storage.Query{Prefix: key + "/", Delimiter: delimiter})
	objects.PageInfo().MaxSize = int(page)
	for {
		next, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return names
		}
		names = append(names, must(next, err).Name+next.Prefix)
	}
}

func (c googleStore) copy(to string) {
	must(c.Object(key + to).CopierFrom(c.Object(key)).Run(background))
}

func (c googleStore) delete(key string) { check(c.Object(key).Delete(background)) }

func (c googleStore) head() {
	attrs := must(c.Object(key).Attrs(background))
	output(attrs.Size, attrs.Metadata)
}

func (c googleStore) special() map[string]func() {
	noSigning := func() { unsupportedCase("it signs URLs with the key of a service account, and Secrets have HMAC keys") }
	return map[string]func(){
		"get-changed": func() { // its downloads do not send the condition
			o := c.Object(key)
			must(o.If(storage.Conditions{GenerationNotMatch: must(o.Attrs(background)).Generation}).Attrs(background))
		},
		"compose":     func() { must(c.Object(key).ComposerFrom(c.Object(key+".a"), c.Object(key+".b")).Run(background)) },
		"presign-get": noSigning,
		"presign-put": noSigning,
	}
}
