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

// minioStore uses minio-go, which reads nothing from the environment.
type minioStore struct{ *minio.Client }

func newMinio(do string) store {
	keys := credentials.NewEnvAWS()
	switch do {
	case "anonymous":
		keys = credentials.NewStaticV4("", "", "")
	case "sigv2":
		keys = credentials.NewStaticV2(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")
	}
	endpoint := must(url.Parse(os.Getenv("AWS_ENDPOINT_URL")))
	style := minio.BucketLookupPath
	if os.Getenv("AWS_S3_ADDRESSING_STYLE") == "virtual" {
		style = minio.BucketLookupDNS
	}
	attempts := 1
	if retries {
		attempts = minio.MaxRetry
	}
	return minioStore{must(minio.New(endpoint.Host, &minio.Options{
		Creds: keys, Secure: endpoint.Scheme == "https", Region: os.Getenv("AWS_REGION"), BucketLookup: style,
		TrailingHeaders: true, MaxRetries: attempts,
	}))}
}

var minioChecksums = map[string]minio.ChecksumType{
	"CRC32": minio.ChecksumCRC32, "CRC32C": minio.ChecksumCRC32C, "SHA1": minio.ChecksumSHA1, "SHA256": minio.ChecksumSHA256,
	"CRC64NVME": minio.ChecksumCRC64NVME,
}

func (c minioStore) write(key string, from io.Reader, o object) {
	options := minio.PutObjectOptions{
		PartSize: partSize, Checksum: minioChecksums[algorithm], UserMetadata: o.metadata,
		ContentType: o.contentType, CacheControl: o.cacheControl, ContentDisposition: o.disposition,
	}
	if o.ifMatch != "" {
		options.SetMatchETag(strings.Trim(o.ifMatch, `"`))
	}
	if o.ifNoneMatch != "" {
		options.SetMatchETagExcept(o.ifNoneMatch)
	}
	size := int64(-1)
	if content, ok := from.(*bytes.Reader); ok {
		size = content.Size()
	}
	info := must(c.PutObject(background, bucket, key, from, size, options))
	output(info.ChecksumCRC32, info.ChecksumCRC32C, info.ChecksumSHA1, info.ChecksumSHA256, info.ChecksumCRC64NVME)
}

func (c minioStore) read(key string, offset, length int64) io.Reader {
	options := minio.GetObjectOptions{VersionID: version}
	if etag != "" {
		check(options.SetMatchETagExcept(strings.Trim(etag, `"`)))
	}
	if length >= 0 {
		check(options.SetRange(offset, offset+length-1))
	}
	return must(c.GetObject(background, bucket, key, options))
}

func (c minioStore) list(delimiter string, page int32) (keys []string) {
	options := minio.ListObjectsOptions{Prefix: key + "/", Recursive: delimiter == "", MaxKeys: int(page)}
	for o := range c.ListObjects(background, bucket, options) {
		check(o.Err)
		keys = append(keys, o.Key)
	}
	return keys
}

func (c minioStore) copy(to string) {
	target, source := minio.CopyDestOptions{Bucket: bucket, Object: key + to}, minio.CopySrcOptions{Bucket: bucket, Object: key}
	must(c.CopyObject(background, target, source))
}

func (c minioStore) delete(key string) {
	check(c.RemoveObject(background, bucket, key, minio.RemoveObjectOptions{VersionID: version}))
}

func (c minioStore) head() {
	info := must(c.StatObject(background, bucket, key, minio.StatObjectOptions{}))
	output(info.Size, info.UserMetadata)
}

func (c minioStore) presign(method string, header http.Header) {
	showSigned(must(c.PresignHeader(background, method, bucket, key, time.Minute, nil, header)).String(), header)
}

func (c minioStore) special() map[string]func() {
	return map[string]func(){
		"buckets": func() {
			for _, b := range must(c.ListBuckets(background)) {
				output(b.Name)
			}
		},
		"copy-parts": func() { // composes an object of two ranges of another
			source := minio.CopySrcOptions{Bucket: bucket, Object: key, MatchRange: true, End: partSize - 1}
			rest := source
			rest.Start, rest.End = partSize, large-1
			must(c.ComposeObject(background, minio.CopyDestOptions{Bucket: bucket, Object: key + ".copy"}, source, rest))
		},
		"delete-many": func() {
			objects := make(chan minio.ObjectInfo, 2)
			objects <- minio.ObjectInfo{Key: key + "/1"}
			objects <- minio.ObjectInfo{Key: key + "/2"}
			close(objects)
			for failed := range c.RemoveObjects(background, bucket, objects, minio.RemoveObjectsOptions{}) {
				check(failed.Err)
			}
		},
		"tags": func() {
			set := must(tags.MapToObjectTags(map[string]string{"project": "cosi"}))
			check(c.PutObjectTagging(background, bucket, key, set, minio.PutObjectTaggingOptions{}))
			output(must(c.GetObjectTagging(background, bucket, key, minio.GetObjectTaggingOptions{})))
		},
		"bucket-tags": func() {
			check(c.SetBucketTagging(background, bucket, must(tags.MapToBucketTags(map[string]string{"project": "cosi"}))))
			output(must(c.GetBucketTagging(background, bucket)))
			check(c.RemoveBucketTagging(background, bucket))
		},
		"attributes": func() {
			got := must(c.GetObjectAttributes(background, bucket, key, minio.ObjectAttributesOptions{}))
			output(got.ObjectSize, got.ETag)
		},
		"versions": func() {
			for o := range c.ListObjects(background, bucket, minio.ListObjectsOptions{Prefix: key, WithVersions: true}) {
				check(o.Err)
				output(o.VersionID)
			}
		},
		"presign-get":          func() { c.presign(http.MethodGet, nil) },
		"presign-put":          func() { c.presign(http.MethodPut, nil) },
		"presign-put-metadata": func() { c.presign(http.MethodPut, http.Header{"X-Amz-Meta-Colour": {"blue"}}) },
		"post-form": func() {
			policy := minio.NewPostPolicy()
			check(policy.SetBucket(bucket))
			check(policy.SetKey(key))
			check(policy.SetExpires(time.Now().Add(time.Minute)))
			check(policy.SetContentLengthRange(1, large))
			u, fields, err := c.PresignedPostPolicy(background, policy)
			check(err)
			showForm(u.String(), fields)
		},
		"sigv2": func() { save("out", c.read(key, 0, -1)) },
	}
}
