# awscli. It reads everything but the addressing style from the environment, from 2.13 on.
export AWS_CONFIG_FILE=$PWD/config AWS_SHARED_CREDENTIALS_FILE=$PWD/credentials
printf '%s\n' '[default]' 's3 =' "  addressing_style = ${AWS_S3_ADDRESSING_STYLE-}" \
    '  multipart_threshold = 5MB' '  multipart_chunksize = 5MB' >"$AWS_CONFIG_FILE"
aws() { "$PROGRAM" --endpoint-url "$AWS_ENDPOINT_URL" --output text "$@"; }
api() { local do=$1; shift; aws s3api "$do" --bucket "$BUCKET_NAME" "$@"; }
tagging='TagSet=[{Key=project,Value=cosi}]' url=s3://${BUCKET_NAME-}/${KEY-}
put() { api put-object --key "$KEY" --body in "$@"; }
get() { api get-object --key "$KEY" "$@" out; }
s3() { aws s3 "$@" --only-show-errors; }

case_put() { s3 cp in "$url"; }
case_get() { s3 cp "$url" out; }
case_head() { api head-object --key "$KEY"; }
case_list() { api list-objects-v2 --prefix "$KEY/" --page-size 100 --query 'Contents[].[Key]'; }
case_delimiter() { aws s3 ls "$url/" --page-size 1 | sed 's/.* //'; }
case_buckets() { aws s3api list-buckets --query 'Buckets[].[Name]'; }
case_range() { get --range bytes=1000-1999; }
case_copy() { s3 cp "$url" "$url.copy"; }
case_move() { s3 mv "$url" "$url.moved"; }
case_delete() { s3 rm "$url"; }
case_delete-many() { api delete-objects --delete "Objects=[{Key=$KEY/1},{Key=$KEY/2}]"; }
case_stream() { s3 cp - "$url"; }
case_sync() { s3 sync up "$url"; s3 sync "$url" down; [ -z "$(aws s3 sync up "$url")" ]; }
case_put-metadata() { s3 cp in "$url" --metadata colour=blue; }
case_put-headers() { s3 cp in "$url" --content-type "$type" --cache-control "$cache" --content-disposition "$disposition"; }
case_tags() { api put-object-tagging --key "$KEY" --tagging "$tagging"; api get-object-tagging --key "$KEY"; }
case_bucket-tags() { api put-bucket-tagging --tagging "$tagging"; api get-bucket-tagging; api delete-bucket-tagging; }
case_attributes() { api get-object-attributes --key "$KEY" --object-attributes ETag ObjectSize; }
case_checksum() {
    case $ALGORITHM in CRC32C | CRC64NVME) na "CRC32C and CRC64NVME need the library awscrt" ;; esac
    put --checksum-algorithm "$ALGORITHM"
}
case_checksum-parts() {
    aws s3 cp help 2>/dev/null | grep -q checksum-algorithm || na "s3 cp has checksums from 2.18 on"
    [ "$ALGORITHM" != CRC32C ] || na "CRC32C needs the library awscrt"
    s3 cp in "$url" --checksum-algorithm "$ALGORITHM"
}
case_versions() { api list-object-versions --prefix "$KEY" --query 'Versions[].[VersionId]'; }
case_get-version() { get --version-id "$VERSION"; }
case_undelete() { api delete-object --key "$KEY" --version-id "$VERSION"; }
case_put-new() { put --if-none-match '*' 2>&1 || { [ $? = 252 ] && na "it has conditions from 2.17 on"; exit 1; }; }
case_put-match() { put --if-match '"0123"' 2>&1 || { [ $? = 252 ] && na "it has conditions from 2.17 on"; exit 1; }; }
case_get-changed() { get --if-none-match "$ETAG"; }
case_presign-get() { aws s3 presign "$url"; }
case_anonymous() { get --no-sign-request; }
