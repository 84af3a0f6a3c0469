package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tmtypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// awsStore uses the AWS SDK for Go in its default configuration.
type awsStore struct{ *awss3.Client }

func newAWS(do string) store {
	return awsStore{awss3.NewFromConfig(must(config.LoadDefaultConfig(background)), func(o *awss3.Options) {
		o.UsePathStyle = os.Getenv("AWS_S3_ADDRESSING_STYLE") == "path"
		if do == "anonymous" {
			o.Credentials = aws.AnonymousCredentials{}
		}
	})}
}

func (c awsStore) write(key string, from io.Reader, o object) {
	if o.inParts {
		manager := transfermanager.New(c, func(o *transfermanager.Options) { o.PartSizeBytes, o.MultipartUploadThreshold = partSize, partSize })
		must(manager.UploadObject(background, &transfermanager.UploadObjectInput{
			Bucket: &bucket, Key: &key, Body: from, ChecksumAlgorithm: tmtypes.ChecksumAlgorithm(algorithm),
		}))
		return
	}
	dump(must(c.PutObject(background, &awss3.PutObjectInput{
		Bucket: &bucket, Key: &key, Body: from, ChecksumAlgorithm: types.ChecksumAlgorithm(algorithm), Metadata: o.metadata,
		ContentType: optional(o.contentType), CacheControl: optional(o.cacheControl), ContentDisposition: optional(o.disposition),
		IfMatch: optional(o.ifMatch), IfNoneMatch: optional(o.ifNoneMatch),
	})))
}

func (c awsStore) read(key string, offset, length int64) io.Reader {
	in := &awss3.GetObjectInput{Bucket: &bucket, Key: &key, VersionId: optional(version), IfNoneMatch: optional(etag)}
	if length >= 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	}
	return must(c.GetObject(background, in)).Body
}

func (c awsStore) list(delimiter string, page int32) (keys []string) {
	in := &awss3.ListObjectsV2Input{Bucket: &bucket, Prefix: aws.String(key + "/"), Delimiter: &delimiter, MaxKeys: &page}
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

func (c awsStore) copy(to string) {
	source := bucket + "/" + url.PathEscape(key)
	must(c.CopyObject(background, &awss3.CopyObjectInput{Bucket: &bucket, Key: aws.String(key + to), CopySource: &source}))
}

func (c awsStore) copyParts() {
	to, source := key+".copy", bucket+"/"+url.PathEscape(key)
	upload := must(c.CreateMultipartUpload(background, &awss3.CreateMultipartUploadInput{Bucket: &bucket, Key: &to}))
	var parts []types.CompletedPart
	for first := 0; first < large; first += partSize {
		number := int32(len(parts) + 1) //nolint:gosec // it is small
		out := must(c.UploadPartCopy(background, &awss3.UploadPartCopyInput{
			Bucket: &bucket, Key: &to, UploadId: upload.UploadId, PartNumber: &number, CopySource: &source,
			CopySourceRange: aws.String(fmt.Sprintf("bytes=%d-%d", first, min(first+partSize, large)-1)),
		}))
		parts = append(parts, types.CompletedPart{ETag: out.CopyPartResult.ETag, PartNumber: &number})
	}
	must(c.CompleteMultipartUpload(background, &awss3.CompleteMultipartUploadInput{
		Bucket: &bucket, Key: &to, UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	}))
}

func (c awsStore) delete(key string) {
	must(c.DeleteObject(background, &awss3.DeleteObjectInput{Bucket: &bucket, Key: &key, VersionId: optional(version)}))
}

func (c awsStore) head() {
	out := must(c.HeadObject(background, &awss3.HeadObjectInput{Bucket: &bucket, Key: &key}))
	output(*out.ContentLength, out.Metadata)
}

func (c awsStore) special() map[string]func() {
	tagging := &types.Tagging{TagSet: []types.Tag{{Key: aws.String("project"), Value: aws.String("cosi")}}}
	presigner := awss3.NewPresignClient(c.Client)
	get, put := &awss3.GetObjectInput{Bucket: &bucket, Key: &key}, &awss3.PutObjectInput{Bucket: &bucket, Key: &key}
	presignPut := func(metadata map[string]string) {
		put.Metadata = metadata
		out := must(presigner.PresignPutObject(background, put))
		showSigned(out.URL, out.SignedHeader)
	}
	return map[string]func(){
		"buckets": func() {
			for _, b := range must(c.ListBuckets(background, nil)).Buckets {
				output(*b.Name)
			}
		},
		"copy-parts": c.copyParts,
		"delete-many": func() {
			ids := []types.ObjectIdentifier{{Key: aws.String(key + "/1")}, {Key: aws.String(key + "/2")}}
			out := must(c.DeleteObjects(background, &awss3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: ids}}))
			for _, e := range out.Errors {
				check(errors.New(aws.ToString(e.Message)))
			}
		},
		"tags": func() {
			must(c.PutObjectTagging(background, &awss3.PutObjectTaggingInput{Bucket: &bucket, Key: &key, Tagging: tagging}))
			dump(must(c.GetObjectTagging(background, &awss3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})).TagSet)
		},
		"bucket-tags": func() {
			must(c.PutBucketTagging(background, &awss3.PutBucketTaggingInput{Bucket: &bucket, Tagging: tagging}))
			dump(must(c.GetBucketTagging(background, &awss3.GetBucketTaggingInput{Bucket: &bucket})).TagSet)
			must(c.DeleteBucketTagging(background, &awss3.DeleteBucketTaggingInput{Bucket: &bucket}))
		},
		"attributes": func() {
			out := must(c.GetObjectAttributes(background, &awss3.GetObjectAttributesInput{
				Bucket: &bucket, Key: &key, ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesEtag, types.ObjectAttributesObjectSize},
			}))
			output(*out.ObjectSize, *out.ETag)
		},
		"versions": func() {
			for _, v := range must(c.ListObjectVersions(background, &awss3.ListObjectVersionsInput{Bucket: &bucket, Prefix: &key})).Versions {
				output(*v.VersionId)
			}
		},
		"presign-get":          func() { output(must(presigner.PresignGetObject(background, get)).URL) },
		"presign-put":          func() { presignPut(nil) },
		"presign-put-metadata": func() { presignPut(blue) },
		"post-form": func() {
			form := must(presigner.PresignPostObject(background, put))
			showForm(form.URL, form.Values)
		},
	}
}
