"""Does the operations with boto3, one for each line on standard input.

The environment holds what the Secret of a BucketAccess holds, and AWS_CA_BUNDLE.
Each line is answered with a JSON object: {}, {"none": true} if this boto3 does
not have the operation, or {"error": "what was not as it should be"}.
"""
import base64
import hashlib
import io
import json
import os
import ssl
import sys
import urllib.error
import urllib.request

import boto3
import botocore
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError, ParamValidationError

ENDPOINT = os.environ["AWS_ENDPOINT_URL"]
BUCKET = os.environ["BUCKET_NAME"]
OTHER = os.environ["S3CLIENTS_OTHER_BUCKET"]
MIB = 1 << 20


class NotHere(Exception):
    """This boto3 does not have the operation."""


def client(signature=None, **credentials):
    config = Config(s3={"addressing_style": os.environ["AWS_S3_ADDRESSING_STYLE"]})
    if signature is not None:
        config = config.merge(Config(signature_version=signature))
    return boto3.client("s3", endpoint_url=ENDPOINT, config=config, **credentials)


S3 = client()


def content(seed, size):
    """Returns size bytes that look random and depend on seed only."""
    return hashlib.shake_128(str(seed).encode()).digest(size)


def expect(what, got, want):
    if got != want:
        if isinstance(got, bytes) and len(got) > 100:
            raise AssertionError("%s: %d bytes, not those %d" % (what, len(got), len(want)))
        raise AssertionError("%s is %r, not %r" % (what, got, want))


def rejected(code, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ClientError as e:
        got = e.response["Error"]["Code"]
        if got != code:
            raise AssertionError("should be %s: %s" % (code, e)) from e
        return
    raise AssertionError("the request succeeded, want the error " + code)


def put(key, body=b"", **more):
    return S3.put_object(Bucket=BUCKET, Key=key, Body=body, **more)


def get(key, **more):
    return S3.get_object(Bucket=BUCKET, Key=key, **more)["Body"].read()


def keys(prefix, **page):
    found, prefixes = [], []
    pages = S3.get_paginator("list_objects_v2").paginate(
        Bucket=BUCKET, Prefix=prefix, PaginationConfig={"PageSize": page.pop("size", 1000)}, **page)
    for p in pages:
        found += [o["Key"] for o in p.get("Contents", [])]
        prefixes += [c["Prefix"] for c in p.get("CommonPrefixes", [])]
    return found, prefixes


def put_get():
    for key, size in (("put-get/small", 1024), ("put-get/empty", 0)):
        put(key, content(1, size))
        expect(key, get(key), content(1, size))


def head():
    etag = put("head", b"head")["ETag"]
    got = S3.head_object(Bucket=BUCKET, Key="head")
    expect("the size", got["ContentLength"], 4)
    expect("the ETag", got["ETag"], etag)


def delete():
    put("delete")
    S3.delete_object(Bucket=BUCKET, Key="delete")
    rejected("NoSuchKey", get, "delete")


def list_keys():
    for key in ("list/3", "list/1", "list/2"):
        put(key)
    expect("the list", keys("list/")[0], ["list/1", "list/2", "list/3"])
    old = S3.list_objects(Bucket=BUCKET, Prefix="list/", Marker="list/1")
    expect("the old kind of list", [o["Key"] for o in old["Contents"]], ["list/2", "list/3"])


def paginate():
    want = ["pages/%d" % i for i in range(5)]
    for key in want:
        put(key)
    expect("the list", keys("pages/", size=2)[0], want)


def delimiter():
    for key in ("a/1", "a/2", "a/3", "b", "c/1", "c/2", "d"):
        put("tree/" + key)
    for size in (1, 2, 1000):
        found, prefixes = keys("tree/", Delimiter="/", size=size)
        expect("the list", found, ["tree/b", "tree/d"])
        expect("the prefixes", prefixes, ["tree/a/", "tree/c/"])


def list_buckets():
    expect("the list", [b["Name"] for b in S3.list_buckets()["Buckets"]], [BUCKET])


def ranges():
    body = content(2, 1024)
    put("range", body)
    expect("the middle", get("range", Range="bytes=2-5"), body[2:6])
    expect("the end", get("range", Range="bytes=-10"), body[-10:])
    expect("the rest", get("range", Range="bytes=1000-"), body[1000:])
    rejected("InvalidRange", get, "range", Range="bytes=5000-")


def copy():
    put("copy/source", content(3, 1024))
    put("copy/described", b"", Metadata={"old": "1"})
    S3.copy_object(Bucket=BUCKET, Key="copy/copy", CopySource={"Bucket": BUCKET, "Key": "copy/source"})
    expect("the copy", get("copy/copy"), content(3, 1024))
    S3.copy_object(Bucket=BUCKET, Key="copy/described", CopySource={"Bucket": BUCKET, "Key": "copy/described"},
                   MetadataDirective="REPLACE", Metadata={"new": "2"})
    expect("the metadata", S3.head_object(Bucket=BUCKET, Key="copy/described")["Metadata"], {"new": "2"})


def copy_parts():
    body = content(4, 18 * MIB)
    put("copy-parts/source", body)
    S3.copy({"Bucket": BUCKET, "Key": "copy-parts/source"}, BUCKET, "copy-parts/copy",
            Config=TransferConfig(multipart_threshold=8 * MIB))
    expect("the copy", get("copy-parts/copy"), body)


def multipart():
    body = content(5, 64 * MIB)
    S3.upload_fileobj(io.BytesIO(body), BUCKET, "multipart")
    etag = S3.head_object(Bucket=BUCKET, Key="multipart")["ETag"]
    if "-" not in etag:
        raise AssertionError("the ETag %s is not one of parts" % etag)
    listed = S3.list_objects_v2(Bucket=BUCKET, Prefix="multipart")["Contents"][0]["ETag"]
    expect("the ETag in the list", listed, etag)
    down = io.BytesIO()
    S3.download_fileobj(BUCKET, "multipart", down)
    expect("what was read", down.getvalue(), body)
    S3.delete_object(Bucket=BUCKET, Key="multipart")


class Endless(io.RawIOBase):
    """A stream that does not say how long it is."""

    def __init__(self, body):
        super().__init__()
        self.body = io.BytesIO(body)

    def readable(self):
        return True

    def read(self, size=-1):
        return self.body.read(size)


def stream():
    S3.upload_fileobj(Endless(content(6, 9 * MIB)), BUCKET, "stream")
    expect("what was read", get("stream"), content(6, 9 * MIB))


def delete_many():
    for key in ("1", "2", "3"):
        put("delete-many/" + key)
    out = S3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": "delete-many/1"}, {"Key": "delete-many/2"}]})
    expect("the number of deleted objects", len(out["Deleted"]), 2)
    expect("what is left", keys("delete-many/")[0], ["delete-many/3"])


def odd_keys():
    odd = ["with space", "100%", "%41", "a+b", "ünï/cödé €", "what?", "hash#mark", "quo\"te's", "back\\slash",
           "a&b<c>=d;e:f@g,h", "a//b", "../up", "a/./b", "/leading", "trailing/", "control\x01\x1f", "tab\tand\nnewline"]
    odd = sorted("odd/" + key for key in odd)
    for i, key in enumerate(odd):
        put(key, content(i, 10))
        expect(key, get(key), content(i, 10))
    expect("the list", sorted(keys("odd/")[0]), odd)
    for key in odd:
        S3.delete_object(Bucket=BUCKET, Key=key)
    expect("what is left", keys("odd/")[0], [])


def metadata():
    for given, want in (({"Colour": "blue", "shape": "round"}, {"colour": "blue", "shape": "round"}),
                        ({"size": "big"}, {"size": "big"})):
        put("metadata", b"m", Metadata=given)
        expect("the metadata", S3.head_object(Bucket=BUCKET, Key="metadata")["Metadata"], want)


def headers():
    want = {"CacheControl": "max-age=60", "ContentDisposition": 'attachment; filename="a b.txt"',
            "ContentType": "text/x-test", "ContentLanguage": "de", "ContentEncoding": "br"}
    put("headers", b"h", **want)
    got = S3.head_object(Bucket=BUCKET, Key="headers")
    expect("what came back", {k: got.get(k) for k in want}, want)


TAGS = [{"Key": "colour", "Value": "blue"}, {"Key": "shape", "Value": "a b"}]


def object_tagging():
    put("tagging", content(7, 1024))
    where = {"Bucket": BUCKET, "Key": "tagging"}
    S3.put_object_tagging(Tagging={"TagSet": TAGS}, **where)
    expect("the tags", S3.get_object_tagging(**where)["TagSet"], TAGS)
    S3.delete_object_tagging(**where)
    expect("what is left", S3.get_object_tagging(**where)["TagSet"], [])
    expect("the object", get("tagging"), content(7, 1024))
    put("tagging", b"", Tagging="colour=blue&shape=a%20b")
    expect("the tags", S3.get_object_tagging(**where)["TagSet"], TAGS)


def bucket_tagging():
    S3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": TAGS})
    expect("the tags", S3.get_bucket_tagging(Bucket=BUCKET)["TagSet"], TAGS)
    S3.delete_bucket_tagging(Bucket=BUCKET)
    rejected("NoSuchTagSet", S3.get_bucket_tagging, Bucket=BUCKET)
    S3.head_bucket(Bucket=BUCKET)


def attributes():
    etag = put("attributes", content(8, 1024))["ETag"]
    got = S3.get_object_attributes(Bucket=BUCKET, Key="attributes", ObjectAttributes=["ETag", "ObjectSize"])
    expect("the size", got["ObjectSize"], 1024)
    expect("the ETag", '"%s"' % got["ETag"], etag)


def put_twice(key):
    return [put(key, body)["VersionId"] for body in (b"first", b"second")]


def versions():
    first, second = put_twice("versions")
    found = []
    for page in S3.get_paginator("list_object_versions").paginate(
            Bucket=BUCKET, Prefix="versions", PaginationConfig={"PageSize": 1}):
        found += [(v["VersionId"], v["IsLatest"]) for v in page.get("Versions", [])]
    expect("the list", found, [(second, True), (first, False)])


def old_version():
    first, _ = put_twice("old-version")
    expect("the content", get("old-version", VersionId=first), b"first")
    expect("the size", S3.head_object(Bucket=BUCKET, Key="old-version", VersionId=first)["ContentLength"], 5)
    S3.copy_object(Bucket=BUCKET, Key="old-version",
                   CopySource={"Bucket": BUCKET, "Key": "old-version", "VersionId": first})
    expect("the content", get("old-version"), b"first")


def undelete():
    put_twice("undelete")
    marker = S3.delete_object(Bucket=BUCKET, Key="undelete")
    expect("the delete marker", marker["DeleteMarker"], True)
    rejected("NoSuchKey", get, "undelete")
    S3.delete_object(Bucket=BUCKET, Key="undelete", VersionId=marker["VersionId"])
    expect("the content", get("undelete"), b"second")
    expect("the list", keys("undelete")[0], ["undelete"])


def put_condition():
    etag = put("put-condition", b"first", IfNoneMatch="*")["ETag"]
    rejected("PreconditionFailed", put, "put-condition", b"again", IfNoneMatch="*")
    put("put-condition", b"second", IfMatch=etag)
    rejected("PreconditionFailed", put, "put-condition", b"third", IfMatch=etag)
    expect("the content", get("put-condition"), b"second")


def get_condition():
    etag = put("get-condition", b"c")["ETag"]
    get("get-condition", IfMatch=etag)
    get("get-condition", IfNoneMatch='"other"')
    rejected("PreconditionFailed", get, "get-condition", IfMatch='"other"')
    rejected("304", get, "get-condition", IfNoneMatch=etag)


def fetch(url, **request):
    """Returns status and body, by an HTTP client that knows nothing of S3."""
    bundle = os.environ.get("AWS_CA_BUNDLE")
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=bundle)))
    try:
        with opener.open(urllib.request.Request(url, **request), timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


def presigned_get():
    put("presigned get", content(9, 1024))
    url = S3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "presigned get"})
    expect("the answer", fetch(url), (200, content(9, 1024)))
    status, body = fetch(url.replace("get?", "getx?"))
    if status != 403 or b"SignatureDoesNotMatch" not in body:
        raise AssertionError("the signature is accepted for another key: status %d" % status)


def presigned_put():
    url = S3.generate_presigned_url("put_object", Params={"Bucket": BUCKET, "Key": "presigned put"})
    status, body = fetch(url, data=content(10, 1024), method="PUT", headers={"Content-Type": ""})
    expect("the status", (status, body), (200, b""))
    expect("the content", get("presigned put"), content(10, 1024))


def checksum(algorithm, size):
    field, key = "Checksum" + algorithm, "checksum/" + algorithm
    try:
        out = put(key, content(11, 1024), ChecksumAlgorithm=algorithm)
    except (botocore.exceptions.MissingDependencyException, botocore.exceptions.FlexibleChecksumError) as e:
        raise NotHere() from e
    if field not in out:
        if field not in S3.meta.service_model.operation_model("PutObject").output_shape.members:
            raise NotHere()
        raise AssertionError("no checksum came back")
    got = S3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED").get(field)
    expect("the checksum", got, out[field])
    expect("the content", S3.get_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")["Body"].read(), content(11, 1024))
    lie = base64.b64encode(bytes(size)).decode()
    rejected("BadDigest", put, key, b"other", **{field: lie})


def refused_as(code, **credentials):
    rejected(code, client(**credentials).list_objects_v2, Bucket=BUCKET)


def other_bucket():
    put("other")
    rejected("AccessDenied", S3.list_objects_v2, Bucket=OTHER)
    rejected("AccessDenied", S3.get_object, Bucket=OTHER, Key="other")
    rejected("AccessDenied", S3.put_object, Bucket=OTHER, Key="other")
    rejected("AccessDenied", S3.copy_object, Bucket=BUCKET, Key="stolen", CopySource={"Bucket": OTHER, "Key": "other"})


def signature_v2():
    try:
        client(signature="s3").list_objects_v2(Bucket=BUCKET)
    except ClientError as e:
        expect_plain(str(e))
        return
    raise AssertionError("the request was not denied")


def presigned_get_v2():
    put("presigned-v2")
    url = client(signature="s3").generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "presigned-v2"})
    status, body = fetch(url)
    if status < 400:
        raise AssertionError("the request was not denied")
    expect_plain("status %d: %s" % (status, body.decode()))


def expect_plain(message):
    if "AWS4-HMAC-SHA256" not in message:
        raise AssertionError("the message does not ask for AWS4-HMAC-SHA256: " + message)


def post_policy():
    form = S3.generate_presigned_post(BUCKET, "posted")
    parts = "".join('--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % f for f in form["fields"].items())
    parts += '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nposted\r\n--x--\r\n'
    status, body = fetch(form["url"], data=parts.encode(), method="POST",
                         headers={"Content-Type": "multipart/form-data; boundary=x"})
    if status != 204:
        raise AssertionError("should be No Content: status %d: %s" % (status, body.decode()))
    expect("posted", get("posted"), b"posted")


OPERATIONS = {
    "put-get": put_get, "head": head, "delete": delete, "list": list_keys, "paginate": paginate,
    "delimiter": delimiter, "list-buckets": list_buckets, "range": ranges, "copy": copy, "copy-parts": copy_parts,
    "multipart": multipart, "stream": stream, "delete-many": delete_many, "odd-keys": odd_keys,
    "metadata": metadata, "headers": headers, "object-tagging": object_tagging, "bucket-tagging": bucket_tagging,
    "attributes": attributes, "versions": versions, "old-version": old_version, "undelete": undelete,
    "put-condition": put_condition, "get-condition": get_condition,
    "presigned-get": presigned_get, "presigned-put": presigned_put,
    "crc32": lambda: checksum("CRC32", 4), "crc32c": lambda: checksum("CRC32C", 4),
    "sha1": lambda: checksum("SHA1", 20), "sha256": lambda: checksum("SHA256", 32),
    "crc64nvme": lambda: checksum("CRC64NVME", 8),
    "wrong-secret": lambda: refused_as("SignatureDoesNotMatch", aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
                                       aws_secret_access_key="wrong"),
    "unknown-key": lambda: refused_as("InvalidAccessKeyId", aws_access_key_id="AKIAUNKNOWN",
                                      aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"]),
    "anonymous": lambda: refused_as("AccessDenied", signature=botocore.UNSIGNED),
    "other-bucket": other_bucket, "signature-v2": signature_v2, "presigned-get-v2": presigned_get_v2,
    "post-policy": post_policy,
}


def answer(name):
    if name not in OPERATIONS:
        return {"none": True}
    try:
        OPERATIONS[name]()
    except NotHere:
        return {"none": True}
    except ParamValidationError as e:
        if "Unknown parameter" in str(e):
            return {"none": True}
        return {"error": str(e)}
    except Exception as e:  # whatever goes wrong is a result
        return {"error": "%s: %s" % (type(e).__name__, e)}
    return {}


for line in sys.stdin:
    print(json.dumps(answer(line.strip())), flush=True)
