#!/bin/sh
# Does what applications do with a container, with rclone.
# The environment has AZURE_STORAGE_SAS_TOKEN and BUCKET_NAME, as the Secret of a BucketAccess has them.
set -eu
export RCLONE_AZUREBLOB_SAS_URL="$AZURE_STORAGE_SAS_TOKEN" RCLONE_CONFIG=/dev/null RCLONE_RETRIES=1 RCLONE_LOW_LEVEL_RETRIES=1
[ -z "${COSI_CERTIFICATE_AUTHORITY_FILE:-}" ] || export RCLONE_CA_CERT="$COSI_CERTIFICATE_AUTHORITY_FILE"
remote=":azureblob:$BUCKET_NAME"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir -p "$dir/from/a/b"
echo one >"$dir/from/a/one.txt"
echo two >"$dir/from/a/b/two ä.txt"
: >"$dir/from/empty"
head -c 9000000 /dev/urandom >"$dir/from/large"

rclone copy "$dir/from" "$remote/backup" --azureblob-upload-cutoff 1M --azureblob-chunk-size 4M
rclone check "$dir/from" "$remote/backup" --download
rclone sync "$remote/backup" "$dir/to"
diff -r "$dir/from" "$dir/to"
[ "$(rclone cat "$remote/backup/large" --offset 100 --count 10 | od -c)" = "$(tail -c +101 "$dir/from/large" | head -c 10 | od -c)" ]
[ "$(rclone lsf -R "$remote/backup" | sort | tr '\n' ' ')" = "a/ a/b/ a/b/two ä.txt a/one.txt empty large " ]
rclone copyto "$remote/backup/a/one.txt" "$remote/copied"
rclone moveto "$remote/copied" "$remote/moved"
[ "$(rclone cat "$remote/moved")" = one ]
echo piped | rclone rcat "$remote/piped"
[ "$(rclone cat "$remote/piped")" = piped ]
rclone delete "$remote"
[ -z "$(rclone lsf -R --files-only "$remote")" ]
