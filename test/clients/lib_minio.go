package main

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/tags"
)

// minioClient is minio-go, which reads nothing from the environment.
type minioClient struct{ *minio.Client }

func newMinio(keys *credentials.Credentials) minioClient {
	endpoint := must(url.Parse(os.Getenv("AWS_ENDPOINT_URL")))
	style := minio.BucketLookupPath
	if os.Getenv("AWS_S3_ADDRESSING_STYLE") == "virtual" {
		style = minio.BucketLookupDNS
	}
	return minioClient{must(minio.New(endpoint.Host, &minio.Options{
		Creds: keys, Secure: endpoint.Scheme == "https", Transport: transport(), Region: os.Getenv("AWS_REGION"), BucketLookup: style,
		TrailingHeaders: true, MaxRetries: 1,
	}))}
}

func (c minioClient) put(reader io.Reader, size int, options minio.PutObjectOptions) {
	options.PartSize = partSize
	info := must(c.PutObject(background, bucket, key, reader, int64(size), options))
	output(info.ChecksumCRC32, info.ChecksumCRC32C, info.ChecksumSHA1, info.ChecksumSHA256, info.ChecksumCRC64NVME)
}

func (c minioClient) file(options minio.PutObjectOptions) { c.put(file(), len(content()), options) }

func (c minioClient) get(change func(*minio.GetObjectOptions) error) {
	var options minio.GetObjectOptions
	check(change(&options))
	save(must(c.GetObject(background, bucket, key, options)))
}

func (c minioClient) list(options minio.ListObjectsOptions) (lines []string) {
	for o := range c.ListObjects(background, bucket, options) {
		check(o.Err)
		if options.WithVersions {
			o.Key = o.VersionID
		}
		lines = append(lines, o.Key)
	}
	return lines
}

func (c minioClient) delete(version string) {
	check(c.RemoveObject(background, bucket, key, minio.RemoveObjectOptions{VersionID: version}))
}

func (c minioClient) deleteMany() {
	objects := make(chan minio.ObjectInfo, 2) //nolint:mnd // as many as follow
	objects <- minio.ObjectInfo{Key: key + "/1"}
	objects <- minio.ObjectInfo{Key: key + "/2"}
	close(objects)
	for failed := range c.RemoveObjects(background, bucket, objects, minio.RemoveObjectsOptions{}) {
		check(failed.Err)
	}
}

func (c minioClient) copy(to string) {
	target, source := minio.CopyDestOptions{Bucket: bucket, Object: key + to}, minio.CopySrcOptions{Bucket: bucket, Object: key}
	must(c.CopyObject(background, target, source))
}

// copyParts composes an object of two ranges of another.
func (c minioClient) copyParts() {
	source := minio.CopySrcOptions{Bucket: bucket, Object: key, MatchRange: true, End: partSize - 1}
	rest := source
	rest.Start, rest.End = partSize, large-1
	must(c.ComposeObject(background, minio.CopyDestOptions{Bucket: bucket, Object: key + ".copy"}, source, rest))
}

func (c minioClient) head() {
	info := must(c.StatObject(background, bucket, key, minio.StatObjectOptions{}))
	output(info.Size, info.UserMetadata)
}

func (c minioClient) tags() {
	set := must(tags.MapToObjectTags(map[string]string{"project": "cosi"}))
	check(c.PutObjectTagging(background, bucket, key, set, minio.PutObjectTaggingOptions{}))
	output(must(c.GetObjectTagging(background, bucket, key, minio.GetObjectTaggingOptions{})))
}

func (c minioClient) bucketTags() {
	check(c.SetBucketTagging(background, bucket, must(tags.MapToBucketTags(map[string]string{"project": "cosi"}))))
	output(must(c.GetBucketTagging(background, bucket)))
	check(c.RemoveBucketTagging(background, bucket))
}

func (c minioClient) presign(method string, header http.Header) {
	showSigned(must(c.PresignHeader(background, method, bucket, key, time.Minute, nil, header)).String(), header)
}

func (c minioClient) postForm() {
	policy := minio.NewPostPolicy()
	check(policy.SetBucket(bucket))
	check(policy.SetKey(key))
	check(policy.SetExpires(time.Now().Add(time.Minute)))
	check(policy.SetContentLengthRange(1, large))
	u, fields, err := c.PresignedPostPolicy(background, policy)
	check(err)
	showForm(u.String(), fields)
}

var minioChecksums = map[string]minio.ChecksumType{
	"CRC32": minio.ChecksumCRC32, "CRC32C": minio.ChecksumCRC32C, "SHA1": minio.ChecksumSHA1, "SHA256": minio.ChecksumSHA256,
	"CRC64NVME": minio.ChecksumCRC64NVME,
}

func whole(*minio.GetObjectOptions) error { return nil }

func minioCases() map[string]func() { //nolint:funlen // it is a table
	c := newMinio(credentials.NewEnvAWS())
	below := minio.ListObjectsOptions{Prefix: key + "/", Recursive: true, MaxKeys: 100}
	checksum := minioChecksums[os.Getenv("ALGORITHM")]
	var isNew, isSame minio.PutObjectOptions
	isNew.SetMatchETagExcept("*")
	isSame.SetMatchETag("0123")
	return map[string]func(){
		"put":       func() { c.file(minio.PutObjectOptions{}) },
		"get":       func() { c.get(whole) },
		"head":      c.head,
		"list":      func() { show(c.list(below)) },
		"delimiter": func() { show(c.list(minio.ListObjectsOptions{Prefix: key + "/", MaxKeys: 1})) },
		"buckets": func() {
			for _, b := range must(c.ListBuckets(background)) {
				output(b.Name)
			}
		},
		"range":       func() { c.get(func(o *minio.GetObjectOptions) error { return o.SetRange(1000, 1999) }) },
		"copy":        func() { c.copy(".copy") },
		"copy-parts":  c.copyParts,
		"move":        func() { c.copy(".moved"); c.delete("") },
		"delete":      func() { c.delete("") },
		"delete-many": c.deleteMany,
		"put-parts":   func() { c.file(minio.PutObjectOptions{}) },
		"stream":      func() { c.put(io.MultiReader(os.Stdin), -1, minio.PutObjectOptions{}) },
		"sync": func() {
			synchronize(func(k string, content []byte) {
				must(c.PutObject(background, bucket, k, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{}))
			}, func() []string { return c.list(below) }, func(k string) io.Reader {
				return must(c.GetObject(background, bucket, k, minio.GetObjectOptions{}))
			})
		},
		"put-metadata": func() { c.file(minio.PutObjectOptions{UserMetadata: blue}) },
		"get-metadata": c.head,
		"put-headers": func() {
			c.file(minio.PutObjectOptions{ContentType: contentType, CacheControl: cacheFor, ContentDisposition: disposition})
		},
		"tags": c.tags, "bucket-tags": c.bucketTags,
		"attributes": func() {
			got := must(c.GetObjectAttributes(background, bucket, key, minio.ObjectAttributesOptions{}))
			output(got.ObjectSize, got.ETag)
		},
		"checksum":       func() { c.file(minio.PutObjectOptions{Checksum: checksum, DisableMultipart: true}) },
		"checksum-parts": func() { c.file(minio.PutObjectOptions{Checksum: checksum}) },
		"versions":       func() { show(c.list(minio.ListObjectsOptions{Prefix: key, WithVersions: true})) },
		"get-version":    func() { c.get(func(o *minio.GetObjectOptions) error { o.VersionID = version; return nil }) },
		"undelete":       func() { c.delete(version) },
		"put-new":        func() { c.file(isNew) },
		"put-match":      func() { c.file(isSame) },
		"get-changed": func() {
			c.get(func(o *minio.GetObjectOptions) error {
				return o.SetMatchETagExcept(strings.Trim(os.Getenv("ETAG"), `"`))
			})
		},
		"presign-get":          func() { c.presign(http.MethodGet, nil) },
		"presign-put":          func() { c.presign(http.MethodPut, nil) },
		"presign-put-metadata": func() { c.presign(http.MethodPut, http.Header{"X-Amz-Meta-Colour": {"blue"}}) },
		"post-form":            c.postForm,
		"anonymous":            func() { newMinio(credentials.NewStaticV4("", "", "")).get(whole) },
		"sigv2": func() {
			newMinio(credentials.NewStaticV2(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")).get(whole)
		},
	}
}
