"""boto3."""
import io
import json
import sys
from operator import itemgetter

import boto3
import botocore
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ParamValidationError
from lib import ENV, KEY, PART, content, na, run, save, show, sync

BUCKET = ENV.get("BUCKET_NAME")
AT = {"Bucket": BUCKET, "Key": KEY}
PARTS = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
TAGS = {"TagSet": [{"Key": "project", "Value": "cosi"}]}


def client(**config):
    style = {"addressing_style": ENV.get("AWS_S3_ADDRESSING_STYLE")}
    return boto3.client("s3", endpoint_url=ENV.get("AWS_ENDPOINT_URL"), region_name=ENV.get("AWS_REGION", "none"),
                        config=Config(s3=style, retries={"total_max_attempts": 1 + int(ENV.get("RETRIES", 0))}, **config))


S3 = client(signature_version="s3v4")


def put(**more):
    return S3.put_object(**AT, Body=content(), **more)


def read(s3=S3, **at):
    return s3.get_object(**{**AT, **at})["Body"].read()


def get(**at):
    save(read(**at))


def keys(**more):
    for page in S3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=KEY + "/", **more):
        yield from (o["Key"] for o in page.get("Contents", []))
        yield from (p["Prefix"] for p in page.get("CommonPrefixes", []))


def unless(errors, reason, do):
    try:
        do()
    except errors:
        na(reason)


def presign(method, **more):
    print(S3.generate_presigned_url(method, Params={**AT, **more}))


run({
    "version": lambda: print(boto3.__version__),
    "put": lambda: S3.upload_file("in", BUCKET, KEY),
    "get": lambda: S3.download_file(BUCKET, KEY, "out"),
    "head": lambda: print(*itemgetter("ContentLength", "Metadata")(S3.head_object(**AT))),
    "list": lambda: show(keys(PaginationConfig={"PageSize": 100})),
    "delimiter": lambda: show(keys(Delimiter="/", PaginationConfig={"PageSize": 1})),
    "buckets": lambda: show(b["Name"] for b in S3.list_buckets()["Buckets"]),
    "range": lambda: get(Range="bytes=1000-1999"),
    "copy": lambda: S3.copy(AT, BUCKET, KEY + ".copy", Config=PARTS),
    "move": lambda: [S3.copy(AT, BUCKET, KEY + ".moved"), S3.delete_object(**AT)],
    "delete": lambda: S3.delete_object(**AT),
    "delete-many": lambda: S3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": KEY + "/1"}, {"Key": KEY + "/2"}]}),
    "put-parts": lambda: S3.upload_file("in", BUCKET, KEY, Config=PARTS),
    "stream": lambda: S3.upload_fileobj(sys.stdin.buffer, BUCKET, KEY, Config=PARTS),
    "sync": lambda: sync(lambda key, data: S3.upload_fileobj(io.BytesIO(data), BUCKET, key), keys, lambda key: read(Key=key)),
    "put-metadata": lambda: put(Metadata={"colour": "blue"}),
    "put-headers": lambda: put(ContentType="text/x-test", CacheControl="max-age=60", ContentDisposition='attachment; filename="a b.txt"'),
    "tags": lambda: [S3.put_object_tagging(**AT, Tagging=TAGS), print(S3.get_object_tagging(**AT)["TagSet"])],
    "bucket-tags": lambda: [S3.put_bucket_tagging(Bucket=BUCKET, Tagging=TAGS), print(S3.get_bucket_tagging(Bucket=BUCKET)["TagSet"]),
                            S3.delete_bucket_tagging(Bucket=BUCKET)],
    "attributes": lambda: print(S3.get_object_attributes(**AT, ObjectAttributes=["ETag", "ObjectSize"])),
    "checksum": lambda: unless((BotoCoreError, KeyError), "CRC32C and CRC64NVME need the library awscrt",
                               lambda: print(put(ChecksumAlgorithm=ENV["ALGORITHM"])["Checksum" + ENV["ALGORITHM"]])),
    "checksum-parts": lambda: unless(BotoCoreError, "CRC32C needs the library awscrt", lambda: S3.upload_file(
        "in", BUCKET, KEY, Config=PARTS, ExtraArgs={"ChecksumAlgorithm": ENV["ALGORITHM"]})),
    "versions": lambda: show(v["VersionId"] for v in S3.list_object_versions(Bucket=BUCKET, Prefix=KEY)["Versions"]),
    "get-version": lambda: get(VersionId=ENV["VERSION"]),
    "undelete": lambda: S3.delete_object(**AT, VersionId=ENV["VERSION"]),
    "put-new": lambda: unless(ParamValidationError, "it has conditions from 1.35 on", lambda: put(IfNoneMatch="*")),
    "put-match": lambda: unless(ParamValidationError, "it has conditions from 1.35 on", lambda: put(IfMatch='"0123"')),
    "get-changed": lambda: get(IfNoneMatch=ENV["ETAG"]),
    "presign-get": lambda: presign("get_object"),
    "presign-put": lambda: presign("put_object"),
    "presign-put-metadata": lambda: [presign("put_object", Metadata={"colour": "blue"}), print("x-amz-meta-colour: blue")],
    "post-form": lambda: print(json.dumps(S3.generate_presigned_post(BUCKET, KEY))),
    "anonymous": lambda: get(s3=client(signature_version=botocore.UNSIGNED)),
    "sigv2": lambda: get(s3=client(signature_version="s3")),
})
