"""boto3, a function for each case. The environment has what `cosi-emu env --access` prints."""
import json
import os
import pathlib
import sys

import boto3
import botocore
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ParamValidationError

ENV = os.environ
BUCKET, KEY = ENV.get("BUCKET_NAME"), ENV.get("KEY", "")
PARTS = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)


def na(reason=""):
    sys.stderr.write(reason)
    sys.exit(42)


def client(**config):
    return boto3.client("s3", endpoint_url=ENV["AWS_ENDPOINT_URL"],
                        config=Config(s3={"addressing_style": ENV["AWS_S3_ADDRESSING_STYLE"]}, retries={"total_max_attempts": 1}, **config))


if sys.argv[1] != "version":
    S3 = client(signature_version="s3v4")


def put(**more):
    return S3.put_object(Bucket=BUCKET, Key=KEY, Body=pathlib.Path("in").read_bytes(), **more)


def get(s3=None, **more):
    pathlib.Path("out").write_bytes((s3 or S3).get_object(Bucket=BUCKET, Key=KEY, **more)["Body"].read())


def keys(**more):
    for page in S3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=KEY + "/", **more):
        yield from (o["Key"] for o in page.get("Contents", []))
        yield from (p["Prefix"] for p in page.get("CommonPrefixes", []))


def show(lines):
    print("\n".join(lines))


def copy(to, **more):
    S3.copy({"Bucket": BUCKET, "Key": KEY}, BUCKET, KEY + to, Config=PARTS)


def move():
    copy(".moved")
    S3.delete_object(Bucket=BUCKET, Key=KEY)


def delete_many():
    S3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": KEY + "/1"}, {"Key": KEY + "/2"}]})


def sync():
    for path in pathlib.Path("up").rglob("*"):
        if path.is_file():
            S3.upload_file(str(path), BUCKET, KEY + str(path)[2:])
    for key in list(keys()):
        to = pathlib.Path("down" + key[len(KEY):])
        to.parent.mkdir(parents=True, exist_ok=True)
        S3.download_file(BUCKET, key, str(to))


def tags():
    S3.put_object_tagging(Bucket=BUCKET, Key=KEY, Tagging={"TagSet": [{"Key": "project", "Value": "cosi"}]})
    print(S3.get_object_tagging(Bucket=BUCKET, Key=KEY)["TagSet"])


def bucket_tags():
    S3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": [{"Key": "project", "Value": "cosi"}]})
    print(S3.get_bucket_tagging(Bucket=BUCKET)["TagSet"])
    S3.delete_bucket_tagging(Bucket=BUCKET)


def checksum():
    field = "Checksum" + ENV["ALGORITHM"]
    try:
        print(put(ChecksumAlgorithm=ENV["ALGORITHM"])[field])
    except (BotoCoreError, KeyError):
        na("CRC32C and CRC64NVME need the library awscrt")


def checksum_parts():
    try:
        S3.upload_file("in", BUCKET, KEY, Config=PARTS, ExtraArgs={"ChecksumAlgorithm": ENV["ALGORITHM"]})
    except BotoCoreError:
        na("CRC32C needs the library awscrt")


def condition(**more):
    try:
        put(**more)
    except ParamValidationError:
        na("it has conditions from 1.35 on")


def presign(method, **more):
    print(S3.generate_presigned_url(method, Params={"Bucket": BUCKET, "Key": KEY, **more}))


def presign_metadata():
    presign("put_object", Metadata={"colour": "blue"})
    print("x-amz-meta-colour: blue")


def main(case):
    cases = {
        "version": lambda: print(boto3.__version__),
        "put": lambda: S3.upload_file("in", BUCKET, KEY),
        "get": lambda: S3.download_file(BUCKET, KEY, "out"),
        "head": lambda: print(S3.head_object(Bucket=BUCKET, Key=KEY)["ContentLength"]),
        "list": lambda: show(keys(PaginationConfig={"PageSize": 100})),
        "delimiter": lambda: show(keys(Delimiter="/", PaginationConfig={"PageSize": 1})),
        "buckets": lambda: show(b["Name"] for b in S3.list_buckets()["Buckets"]),
        "range": lambda: get(Range="bytes=1000-1999"),
        "copy": lambda: copy(".copy"),
        "copy-parts": lambda: copy(".copy"),
        "move": move,
        "delete": lambda: S3.delete_object(Bucket=BUCKET, Key=KEY),
        "delete-many": delete_many,
        "put-parts": lambda: S3.upload_file("in", BUCKET, KEY, Config=PARTS),
        "stream": lambda: S3.upload_fileobj(sys.stdin.buffer, BUCKET, KEY, Config=PARTS),
        "sync": sync,
        "put-metadata": lambda: put(Metadata={"colour": "blue"}),
        "get-metadata": lambda: print(S3.head_object(Bucket=BUCKET, Key=KEY)["Metadata"]),
        "put-headers": lambda: put(ContentType="text/x-test", CacheControl="max-age=60", ContentDisposition='attachment; filename="a b.txt"'),
        "tags": tags,
        "bucket-tags": bucket_tags,
        "attributes": lambda: print(S3.get_object_attributes(Bucket=BUCKET, Key=KEY, ObjectAttributes=["ETag", "ObjectSize"])),
        "checksum": checksum,
        "checksum-parts": checksum_parts,
        "versions": lambda: show(v["VersionId"] for v in S3.list_object_versions(Bucket=BUCKET, Prefix=KEY)["Versions"]),
        "get-version": lambda: get(VersionId=ENV["VERSION"]),
        "undelete": lambda: S3.delete_object(Bucket=BUCKET, Key=KEY, VersionId=ENV["VERSION"]),
        "put-new": lambda: condition(IfNoneMatch="*"),
        "put-match": lambda: condition(IfMatch='"0123"'),
        "get-changed": lambda: get(IfNoneMatch=ENV["ETAG"]),
        "presign-get": lambda: presign("get_object"),
        "presign-put": lambda: presign("put_object"),
        "presign-put-metadata": presign_metadata,
        "post-form": lambda: print(json.dumps(S3.generate_presigned_post(BUCKET, KEY))),
        "anonymous": lambda: get(client(signature_version=botocore.UNSIGNED)),
        "sigv2": lambda: get(client(signature_version="s3")),
    }
    cases.get(case, na)()


main(sys.argv[1])
