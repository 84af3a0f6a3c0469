package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"

	"cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// googleClient is Google's client for Go, with the key as its token.
type googleClient struct{ *storage.BucketHandle }

func newGoogle(token string) googleClient {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	client := must(storage.NewClient(background, option.WithEndpoint(os.Getenv("COSI_GCS_ENDPOINT")+"/storage/v1/"),
		option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: source, Base: transport()}})))
	client.SetRetry(storage.WithPolicy(storage.RetryNever))
	return googleClient{client.Bucket(bucket)}
}

func write(o *storage.ObjectHandle, from io.Reader, change func(*storage.Writer)) {
	w := o.NewWriter(background)
	w.ChunkSize = partSize
	change(w)
	must(io.Copy(w, from))
	check(w.Close())
}

func plain(*storage.Writer) {}

func (c googleClient) get(offset, length int64) {
	save(must(c.Object(key).NewRangeReader(background, offset, length)))
}

func (c googleClient) list(delimiter string, size int) (names []string) {
	objects := c.Objects(background, &storage.Query{Prefix: key + "/", Delimiter: delimiter})
	objects.PageInfo().MaxSize = size
	for {
		next, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return names
		}
		names = append(names, must(next, err).Name+next.Prefix)
	}
}

func (c googleClient) copy(to string) {
	must(c.Object(key + to).CopierFrom(c.Object(key)).Run(background))
}

func (c googleClient) head() {
	attrs := must(c.Object(key).Attrs(background))
	output(attrs.Size, attrs.Metadata)
}

func googleCases() map[string]func() {
	c := newGoogle(os.Getenv("HMAC_ACCESS_ID") + ":" + os.Getenv("HMAC_SECRET"))
	o := c.Object(key)
	noSigning := func() { unsupportedCase("it signs URLs with the key of a service account, and Secrets have HMAC keys") }
	return map[string]func(){
		"put":       func() { write(o, file(), plain) },
		"get":       func() { c.get(0, -1) },
		"head":      c.head,
		"list":      func() { show(c.list("", 100)) },
		"delimiter": func() { show(c.list("/", 1)) },
		"range":     func() { c.get(1000, 1000) },
		"copy":      func() { c.copy(".copy") },
		"move":      func() { c.copy(".moved"); check(o.Delete(background)) },
		"delete":    func() { check(o.Delete(background)) },
		"delete-many": func() {
			check(errors.Join(c.Object(key+"/1").Delete(background), c.Object(key+"/2").Delete(background)))
		},
		"put-parts": func() { write(o, file(), plain) },
		"stream":    func() { write(o, os.Stdin, plain) },
		"sync": func() {
			synchronize(func(k string, content []byte) { write(c.Object(k), bytes.NewReader(content), plain) },
				func() []string { return c.list("", pages) }, func(k string) io.Reader { return must(c.Object(k).NewReader(background)) })
		},
		"put-metadata": func() { write(o, file(), func(w *storage.Writer) { w.Metadata = blue }) },
		"get-metadata": c.head,
		"put-headers": func() {
			write(o, file(), func(w *storage.Writer) {
				w.ContentType, w.CacheControl, w.ContentDisposition = contentType, cacheFor, disposition
			})
		},
		"put-new":   func() { write(o.If(storage.Conditions{DoesNotExist: true}), file(), plain) },
		"put-match": func() { write(o.If(storage.Conditions{GenerationMatch: 1}), file(), plain) },
		"get-changed": func() { // its downloads do not send the condition
			must(o.If(storage.Conditions{GenerationNotMatch: must(o.Attrs(background)).Generation}).Attrs(background))
		},
		"compose":     func() { must(o.ComposerFrom(c.Object(key+".a"), c.Object(key+".b")).Run(background)) },
		"presign-get": noSigning,
		"presign-put": noSigning,
		"anonymous":   func() { newGoogle("").get(0, -1) },
	}
}
