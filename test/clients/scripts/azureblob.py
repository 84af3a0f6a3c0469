"""azure-storage-blob, with the URI of the Secret."""
import sys
from operator import attrgetter

import azure.storage.blob
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.storage.blob import ContainerClient, ContentSettings, LinearRetry
from lib import ENV, KEY, PART, content, run, save, show, sync


def container(uri):
    retries = LinearRetry(backoff=0, retry_total=int(ENV.get("RETRIES", 0)), random_jitter_range=0)
    return ContainerClient.from_container_url(uri, retry_policy=retries, max_single_put_size=PART, max_block_size=PART)


URI = ENV.get("AZURE_STORAGE_SAS_TOKEN", "http://localhost/a/b")
C = container(URI)
BLOB = C.get_blob_client(KEY or "none")
HEADERS = {"content_type": "text/x-test", "cache_control": "max-age=60", "content_disposition": 'attachment; filename="a b.txt"'}


def put(data=None, **more):
    BLOB.upload_blob(content() if data is None else data, **{"overwrite": True, **more})


def get(blob=BLOB, **more):
    save(blob.download_blob(**more).readall())


def names():
    return [b.name for page in C.list_blobs(name_starts_with=KEY + "/", results_per_page=100).by_page() for b in page]


def delimiter():
    for page in C.walk_blobs(name_starts_with=KEY + "/", delimiter="/", results_per_page=1).by_page():
        show(b.name for b in page)


def copy(to):
    C.get_blob_client(KEY + to).start_copy_from_url(BLOB.url)


def snapshot():
    taken = BLOB.create_snapshot()["snapshot"]
    put(b"new")
    get(C.get_blob_client(KEY, snapshot=taken))


def lease():
    taken = BLOB.acquire_lease()
    try:
        put()
    finally:
        taken.release()


try:
    run({
        "version": lambda: print(azure.storage.blob.__version__),
        "put": put,
        "get": get,
        "head": lambda: print(*attrgetter("size", "metadata")(BLOB.get_blob_properties())),
        "list": lambda: show(names()),
        "delimiter": delimiter,
        "range": lambda: get(offset=1000, length=1000),
        "copy": lambda: copy(".copy"),
        "move": lambda: [copy(".moved"), BLOB.delete_blob()],
        "delete": BLOB.delete_blob,
        "delete-many": lambda: [C.delete_blob(KEY + name) for name in ("/1", "/2")],
        "stream": lambda: put(sys.stdin.buffer),
        "sync": lambda: sync(C.upload_blob, names, lambda name: C.download_blob(name).readall()),
        "put-metadata": lambda: put(metadata={"colour": "blue"}),
        "put-headers": lambda: put(content_settings=ContentSettings(**HEADERS)),
        "tags": lambda: [BLOB.set_blob_tags({"project": "cosi"}), print(BLOB.get_blob_tags())],
        "put-new": lambda: put(overwrite=False),
        "put-match": lambda: put(etag='"0123"', match_condition=MatchConditions.IfNotModified),
        "get-changed": lambda: get(etag=ENV["ETAG"], match_condition=MatchConditions.IfModified),
        "append": lambda: [BLOB.create_append_blob(), BLOB.append_block(content()), BLOB.append_block(content())],
        "snapshot": snapshot,
        "lease": lease,
        "anonymous": lambda: get(container(URI.split("?")[0]).get_blob_client(KEY)),
    })
except HttpResponseError as e:
    sys.exit("%s %s: %s" % (e.status_code, getattr(e, "error_code", ""), e.message))
