package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tmtypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// awsClient is the AWS SDK for Go in its default configuration.
type awsClient struct{ *awss3.Client }

func newAWS(with ...func(*awss3.Options)) awsClient {
	cfg := must(config.LoadDefaultConfig(background))
	return awsClient{awss3.NewFromConfig(cfg, append(with, func(o *awss3.Options) {
		o.UsePathStyle = os.Getenv("AWS_S3_ADDRESSING_STYLE") == "path"
	})...)}
}

func (c awsClient) put(change func(*awss3.PutObjectInput)) {
	in := &awss3.PutObjectInput{Bucket: &bucket, Key: &key, Body: file()}
	change(in)
	out := must(c.PutObject(background, in))
	for _, sum := range []*string{out.ChecksumCRC32, out.ChecksumCRC32C, out.ChecksumCRC64NVME, out.ChecksumSHA1, out.ChecksumSHA256} {
		output(aws.ToString(sum))
	}
}

func (c awsClient) get(k string, change func(*awss3.GetObjectInput)) io.Reader {
	in := &awss3.GetObjectInput{Bucket: &bucket, Key: &k}
	change(in)
	return must(c.GetObject(background, in)).Body
}

func (c awsClient) file(change func(*awss3.GetObjectInput)) { save(c.get(key, change)) }

// list returns keys and common prefixes.
func (c awsClient) list(delimiter string, size int32) (keys []string) {
	in := &awss3.ListObjectsV2Input{Bucket: &bucket, Prefix: aws.String(key + "/"), Delimiter: &delimiter, MaxKeys: &size}
	for pages := awss3.NewListObjectsV2Paginator(c, in); pages.HasMorePages(); {
		page := must(pages.NextPage(background))
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
		for _, p := range page.CommonPrefixes {
			keys = append(keys, *p.Prefix)
		}
	}
	return keys
}

func source() *string {
	return aws.String(bucket + "/" + strings.ReplaceAll(url.PathEscape(key), "+", "%2B"))
}

func (c awsClient) copy(to string) {
	must(c.CopyObject(background, &awss3.CopyObjectInput{Bucket: &bucket, Key: aws.String(key + to), CopySource: source()}))
}

func (c awsClient) delete(version *string) {
	must(c.DeleteObject(background, &awss3.DeleteObjectInput{Bucket: &bucket, Key: &key, VersionId: version}))
}

func (c awsClient) deleteMany() {
	ids := []types.ObjectIdentifier{{Key: aws.String(key + "/1")}, {Key: aws.String(key + "/2")}}
	out := must(c.DeleteObjects(background, &awss3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: ids}}))
	for _, e := range out.Errors {
		check(errors.New(aws.ToString(e.Message)))
	}
}

func (c awsClient) copyParts() {
	to := key + ".copy"
	upload := must(c.CreateMultipartUpload(background, &awss3.CreateMultipartUploadInput{Bucket: &bucket, Key: &to}))
	var parts []types.CompletedPart
	for first := 0; first < large; first += partSize {
		number := int32(len(parts) + 1) //nolint:gosec // it is small
		out := must(c.UploadPartCopy(background, &awss3.UploadPartCopyInput{
			Bucket: &bucket, Key: &to, UploadId: upload.UploadId, PartNumber: &number, CopySource: source(),
			CopySourceRange: aws.String(fmt.Sprintf("bytes=%d-%d", first, min(first+partSize, large)-1)),
		}))
		parts = append(parts, types.CompletedPart{ETag: out.CopyPartResult.ETag, PartNumber: &number})
	}
	must(c.CompleteMultipartUpload(background, &awss3.CompleteMultipartUploadInput{
		Bucket: &bucket, Key: &to, UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	}))
}

func (c awsClient) upload(body io.Reader, algorithm string) {
	manager := transfermanager.New(c, func(o *transfermanager.Options) { o.PartSizeBytes, o.MultipartUploadThreshold = partSize, partSize })
	must(manager.UploadObject(background, &transfermanager.UploadObjectInput{
		Bucket: &bucket, Key: &key, Body: body, ChecksumAlgorithm: tmtypes.ChecksumAlgorithm(algorithm),
	}))
}

func (c awsClient) presign(metadata map[string]string) {
	in := &awss3.PutObjectInput{Bucket: &bucket, Key: &key, Metadata: metadata}
	out := must(awss3.NewPresignClient(c.Client).PresignPutObject(background, in))
	showSigned(out.URL, out.SignedHeader)
}

var tagging = &types.Tagging{TagSet: []types.Tag{{Key: aws.String("project"), Value: aws.String("cosi")}}}

func (c awsClient) tags() {
	must(c.PutObjectTagging(background, &awss3.PutObjectTaggingInput{Bucket: &bucket, Key: &key, Tagging: tagging}))
	got := must(c.GetObjectTagging(background, &awss3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})).TagSet[0]
	output(*got.Key, *got.Value)
}

func (c awsClient) bucketTags() {
	must(c.PutBucketTagging(background, &awss3.PutBucketTaggingInput{Bucket: &bucket, Tagging: tagging}))
	got := must(c.GetBucketTagging(background, &awss3.GetBucketTaggingInput{Bucket: &bucket})).TagSet[0]
	output(*got.Key, *got.Value)
	must(c.DeleteBucketTagging(background, &awss3.DeleteBucketTaggingInput{Bucket: &bucket}))
}

func (c awsClient) head() {
	out := must(c.HeadObject(background, &awss3.HeadObjectInput{Bucket: &bucket, Key: &key}))
	output(*out.ContentLength, out.Metadata)
}

func (c awsClient) attributes() {
	out := must(c.GetObjectAttributes(background, &awss3.GetObjectAttributesInput{
		Bucket: &bucket, Key: &key, ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesEtag, types.ObjectAttributesObjectSize},
	}))
	output(*out.ObjectSize, *out.ETag)
}

func awsCases() map[string]func() {
	c, algorithm := newAWS(), os.Getenv("ALGORITHM")
	return map[string]func(){
		"put":       func() { c.put(func(*awss3.PutObjectInput) {}) },
		"get":       func() { c.file(func(*awss3.GetObjectInput) {}) },
		"head":      c.head,
		"list":      func() { show(c.list("", 100)) },
		"delimiter": func() { show(c.list("/", 1)) },
		"buckets": func() {
			for _, b := range must(c.ListBuckets(background, nil)).Buckets {
				output(*b.Name)
			}
		},
		"range":       func() { c.file(func(i *awss3.GetObjectInput) { i.Range = aws.String("bytes=1000-1999") }) },
		"copy":        func() { c.copy(".copy") },
		"copy-parts":  c.copyParts,
		"move":        func() { c.copy(".moved"); c.delete(nil) },
		"delete":      func() { c.delete(nil) },
		"delete-many": c.deleteMany,
		"put-parts":   func() { c.upload(file(), "") },
		"stream":      func() { c.upload(io.MultiReader(os.Stdin), "") },
		"sync": func() {
			synchronize(func(k string, content []byte) {
				must(c.PutObject(background, &awss3.PutObjectInput{Bucket: &bucket, Key: &k, Body: bytes.NewReader(content)}))
			}, func() []string { return c.list("", pages) }, func(k string) io.Reader { return c.get(k, func(*awss3.GetObjectInput) {}) })
		},
		"put-metadata": func() { c.put(func(i *awss3.PutObjectInput) { i.Metadata = blue }) },
		"get-metadata": c.head,
		"put-headers": func() {
			c.put(func(i *awss3.PutObjectInput) {
				i.ContentType, i.CacheControl, i.ContentDisposition = aws.String(contentType), aws.String(cacheFor), aws.String(disposition)
			})
		},
		"tags": c.tags, "bucket-tags": c.bucketTags, "attributes": c.attributes,
		"checksum": func() {
			c.put(func(i *awss3.PutObjectInput) { i.ChecksumAlgorithm = types.ChecksumAlgorithm(algorithm) })
		},
		"checksum-parts": func() { c.upload(file(), algorithm) },
		"versions": func() {
			for _, v := range must(c.ListObjectVersions(background, &awss3.ListObjectVersionsInput{Bucket: &bucket, Prefix: &key})).Versions {
				output(*v.VersionId)
			}
		},
		"get-version": func() { c.file(func(i *awss3.GetObjectInput) { i.VersionId = &version }) },
		"undelete":    func() { c.delete(&version) },
		"put-new":     func() { c.put(func(i *awss3.PutObjectInput) { i.IfNoneMatch = aws.String("*") }) },
		"put-match":   func() { c.put(func(i *awss3.PutObjectInput) { i.IfMatch = aws.String(`"0123"`) }) },
		"get-changed": func() { c.file(func(i *awss3.GetObjectInput) { i.IfNoneMatch = aws.String(os.Getenv("ETAG")) }) },
		"presign-get": func() {
			output(must(awss3.NewPresignClient(c.Client).PresignGetObject(background, &awss3.GetObjectInput{Bucket: &bucket, Key: &key})).URL)
		},
		"presign-put":          func() { c.presign(nil) },
		"presign-put-metadata": func() { c.presign(blue) },
		"post-form": func() {
			form := must(awss3.NewPresignClient(c.Client).PresignPostObject(background, &awss3.PutObjectInput{Bucket: &bucket, Key: &key}))
			showForm(form.URL, form.Values)
		},
		"anonymous": func() {
			newAWS(func(o *awss3.Options) { o.Credentials = aws.AnonymousCredentials{} }).file(func(*awss3.GetObjectInput) {})
		},
	}
}
