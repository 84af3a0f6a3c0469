# rclone, with the backend for the protocol.
export RCLONE_CONFIG=$PWD/rclone.conf RCLONE_RETRIES=1 RCLONE_LOW_LEVEL_RETRIES=$((1 + ${RETRIES:-0})) RCLONE_CA_CERT=${AWS_CA_BUNDLE-}
[ -n "$RCLONE_CA_CERT" ] || unset RCLONE_CA_CERT
case $PROTOCOL in
S3)
    unset AWS_CA_BUNDLE # on which it fails
    path=true
    [ "${AWS_S3_ADDRESSING_STYLE-path}" = path ] || path=false
    set -- type=s3 provider=Other env_auth=true endpoint="${AWS_ENDPOINT_URL-}" region="${AWS_REGION-}" force_path_style=$path \
        list_version=2 list_url_encode=true upload_cutoff=5Mi chunk_size=5Mi copy_cutoff=5Mi
    ;;
GCS) set -- type=gcs endpoint="${COSI_GCS_ENDPOINT-}/storage/v1/" access_token="$HMAC_ACCESS_ID:$HMAC_SECRET" bucket_policy_only=true ;;
Azure) set -- type=azureblob sas_url="${AZURE_STORAGE_SAS_TOKEN-}" upload_cutoff=5Mi chunk_size=5Mi ;;
esac
{ echo '[r]'; printf '%s\n' "$@"; } >"$RCLONE_CONFIG"
rclone() { "$PROGRAM" "$@"; }
url=r:${BUCKET_NAME-}/${KEY-}
parent=${url%/*} name=${url##*/}

case_put() { rclone copyto in "$url"; }
case_get() { rclone copyto "$url" out; [ -e out ] || { echo "rclone has no error, and no file" >&2; exit 1; }; }
case_head() { rclone lsjson --stat --metadata "$url"; }
case_list() { rclone lsf --recursive --files-only "$url"; }
case_delimiter() { rclone lsf "$url"; }
case_buckets() { rclone lsf r: | tr -d /; }
case_range() { rclone cat --offset 1000 --count 1000 "$url" >out; }
case_copy() { rclone copyto "$url" "$url.copy"; }
case_move() { rclone moveto "$url" "$url.moved"; }
case_delete() { rclone deletefile "$url"; }
case_delete-many() { rclone delete "$url"; }
case_stream() { rclone rcat "$url"; }
case_sync() {
    rclone sync up "$url"; rclone sync "$url" down; rclone check --download up "$url"
    [ -z "$(rclone sync -v up "$url" 2>&1 | grep Copied)" ]
}
case_put-metadata() {
    [ "$PROTOCOL" != GCS ] || na "its backend writes no metadata"
    rclone copyto --metadata --metadata-set colour=blue in "$url"
}
case_put-headers() {
    rclone copyto --header-upload "Content-Type: $type" --header-upload "Cache-Control: $cache" \
        --header-upload "Content-Disposition: $disposition" in "$url"
}
case_versions() { rclone lsf --s3-versions "$parent" --include "/$name*"; }
case_get-version() { na "it names old versions by their time"; }
case_presign-get() { [ "$PROTOCOL" = S3 ] || na "its backend cannot sign URLs"; rclone link --expire 1m "$url"; }
case_anonymous() {
    [ "$PROTOCOL" = S3 ] || na "its backend has no such option for other endpoints"
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    rclone --s3-env-auth=false cat "$url" >out
}
case_sigv2() { rclone --s3-v2-auth cat "$url" >out; }
