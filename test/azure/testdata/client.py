"""Does what applications do with a container, with azure-storage-blob.

The environment has AZURE_STORAGE_SAS_TOKEN, as the Secret of a BucketAccess has it.
"""
import hashlib
import os
import sys

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.storage.blob import BlobBlock, ContainerClient, ContentSettings

failures = []


def check(what, got, want):
    if got != want:
        failures.append(f"{what}: got {got!r}, want {want!r}")


def rejects(what, error, do, code=None):
    try:
        do()
    except error as e:
        if code:
            check(what, e.error_code, code)
    except Exception as e:  # another one
        failures.append(f"{what}: {type(e).__name__}: {e}")
    else:
        failures.append(f"{what}: no error")


options = {}
if authority := os.environ.get("COSI_CERTIFICATE_AUTHORITY_FILE"):
    options["connection_verify"] = authority
container = ContainerClient.from_container_url(os.environ["AZURE_STORAGE_SAS_TOKEN"], max_single_put_size=1 << 20, max_block_size=1 << 18, **options)

check("exists", container.exists(), True)
check("the name", container.get_container_properties().name, container.container_name)

# Blobs, with properties, metadata and tags.
blob = container.get_blob_client("a/äö b.txt")
blob.upload_blob(b"hello", metadata={"Colour": "red"}, content_settings=ContentSettings(content_type="text/plain", cache_control="no-cache"))
rejects("a blob that exists", ResourceExistsError, lambda: blob.upload_blob(b"again"), "BlobAlreadyExists")
blob.upload_blob(b"hello, world", overwrite=True, metadata={"Colour": "blue"})
check("the content", blob.download_blob().readall(), b"hello, world")
check("a range", blob.download_blob(offset=7, length=5, validate_content=True).readall(), b"world")
properties = blob.get_blob_properties()
check("metadata", {k.lower(): v for k, v in properties.metadata.items()}, {"colour": "blue"})
check("the size", properties.size, 12)
check("the MD5", bytes(properties.content_settings.content_md5), hashlib.md5(b"hello, world").digest())
blob.set_blob_metadata({"shape": "round"})
blob.set_http_headers(ContentSettings(content_type="image/png"))
check("the type", blob.get_blob_properties().content_settings.content_type, "image/png")
blob.set_blob_tags({"project": "cosi"})
check("tags", blob.get_blob_tags(), {"project": "cosi"})

# Conditions.
old = blob.get_blob_properties().etag
blob.upload_blob(b"new", overwrite=True)
rejects("an old ETag", ResourceModifiedError, lambda: blob.delete_blob(etag=old, match_condition=__import__("azure.core").core.MatchConditions.IfNotModified),
        "ConditionNotMet")

# Blocks: large uploads, and lists of them.
large = os.urandom(3 << 20)
big = container.upload_blob("big", large, validate_content=True)
check("a large blob", big.download_blob(max_concurrency=2).readall(), large)
staged = container.get_blob_client("staged")
for name in ("one", "two"):
    staged.stage_block(name, name.encode())
check("uncommitted blocks", [b.id for b in staged.get_block_list("uncommitted")[1]], ["one", "two"])
staged.commit_block_list([BlobBlock("two"), BlobBlock("one")])
check("blocks", staged.download_blob().readall(), b"twoone")
check("committed blocks", [b.size for b in staged.get_block_list("committed")[0]], [3, 3])

# Append blobs.
log = container.get_blob_client("log")
log.create_append_blob()
for line in (b"one\n", b"two\n"):
    log.append_block(line)
check("the log", log.download_blob().readall(), b"one\ntwo\n")

# Copies, snapshots and leases.
copied = container.get_blob_client("copied")
check("the copy", copied.start_copy_from_url(blob.url)["copy_status"], "success")
check("the content of the copy", copied.download_blob().readall(), b"new")
snapshot = blob.create_snapshot()
blob.upload_blob(b"newer", overwrite=True)
check("the snapshot", container.get_blob_client(blob.blob_name, snapshot=snapshot["snapshot"]).download_blob().readall(), b"new")
rejects("a blob with a snapshot", ResourceExistsError, blob.delete_blob, "SnapshotsPresent")
lease = copied.acquire_lease(lease_duration=15)
rejects("a leased blob", HttpResponseError, lambda: copied.upload_blob(b"x", overwrite=True), "LeaseIdMissing")
copied.upload_blob(b"x", overwrite=True, lease=lease)
lease.release()

# Lists.
check("all blobs", sorted(b.name for b in container.list_blobs()), ["a/äö b.txt", "big", "copied", "log", "staged"])
check("pages", [len(list(page)) for page in container.list_blobs(results_per_page=2).by_page()], [2, 2, 1])
check("prefixes", [b.name for b in container.walk_blobs(delimiter="/")], ["a/", "big", "copied", "log", "staged"])
check("with snapshots", len(list(container.list_blobs(name_starts_with="a/", include=["snapshots", "metadata", "tags"]))), 2)

blob.delete_blob(delete_snapshots="include")
for name in ("big", "copied", "log", "staged"):
    container.delete_blob(name)
rejects("a deleted blob", ResourceNotFoundError, lambda: container.download_blob("big"), "BlobNotFound")
check("after all", list(container.list_blobs()), [])

print("\n".join(failures))
sys.exit(1 if failures else 0)
