"""azure-storage-blob, a function for each case."""
import os
import pathlib
import sys

import azure.storage.blob
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.storage.blob import ContainerClient, ContentSettings

ENV = os.environ
KEY = ENV.get("KEY", "")


def na(reason=""):
    sys.stderr.write(reason)
    sys.exit(42)


def container(uri):
    return ContainerClient.from_container_url(uri, retry_total=0, max_single_put_size=5 << 20, max_block_size=5 << 20)


def content():
    return pathlib.Path("in").read_bytes()


def put(data=None, **more):
    BLOB.upload_blob(content() if data is None else data, **{"overwrite": True, **more})


def get(blob=None, **more):
    pathlib.Path("out").write_bytes((blob or BLOB).download_blob(**more).readall())


def names():
    return [b.name for page in C.list_blobs(name_starts_with=KEY + "/", results_per_page=100).by_page() for b in page]


def delimiter():
    for page in C.walk_blobs(name_starts_with=KEY + "/", delimiter="/", results_per_page=1).by_page():
        print("\n".join(b.name for b in page))


def copy(to):
    C.get_blob_client(KEY + to).start_copy_from_url(BLOB.url)


def move():
    copy(".moved")
    BLOB.delete_blob()


def sync():
    for path in pathlib.Path("up").rglob("*"):
        if path.is_file():
            C.upload_blob(KEY + str(path)[2:], path.read_bytes())
    for name in names():
        to = pathlib.Path("down" + name[len(KEY):])
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(C.download_blob(name).readall())


def tags():
    BLOB.set_blob_tags({"project": "cosi"})
    print(BLOB.get_blob_tags())


def append():
    BLOB.create_append_blob()
    for _ in range(2):
        BLOB.append_block(content())


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


if sys.argv[1] != "version":
    C = container(ENV["AZURE_STORAGE_SAS_TOKEN"])
    BLOB = C.get_blob_client(KEY)

CASES = {
    "version": lambda: print(azure.storage.blob.__version__),
    "put": put,
    "get": get,
    "head": lambda: print(BLOB.get_blob_properties().size),
    "list": lambda: print("\n".join(names())),
    "delimiter": delimiter,
    "range": lambda: get(offset=1000, length=1000),
    "copy": lambda: copy(".copy"),
    "move": move,
    "delete": lambda: BLOB.delete_blob(),
    "delete-many": lambda: [C.delete_blob(KEY + name) for name in ("/1", "/2")],
    "put-parts": put,
    "stream": lambda: put(sys.stdin.buffer),
    "sync": sync,
    "put-metadata": lambda: put(metadata={"colour": "blue"}),
    "get-metadata": lambda: print(BLOB.get_blob_properties().metadata),
    "put-headers": lambda: put(content_settings=ContentSettings(content_type="text/x-test", cache_control="max-age=60",
                                                                content_disposition='attachment; filename="a b.txt"')),
    "tags": tags,
    "put-new": lambda: put(overwrite=False),
    "put-match": lambda: put(etag='"0123"', match_condition=MatchConditions.IfNotModified),
    "get-changed": lambda: get(etag=ENV["ETAG"], match_condition=MatchConditions.IfModified),
    "append": append,
    "snapshot": snapshot,
    "lease": lease,
    "anonymous": lambda: get(container(ENV["AZURE_STORAGE_SAS_TOKEN"].split("?")[0]).get_blob_client(KEY)),
}
try:
    CASES.get(sys.argv[1], na)()
except HttpResponseError as e:
    sys.exit("%s %s: %s" % (e.status_code, getattr(e, "error_code", ""), e.message))
