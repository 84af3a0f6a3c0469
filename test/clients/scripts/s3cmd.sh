# s3cmd, which reads everything from its configuration.
if [ -n "${AWS_ENDPOINT_URL-}" ]; then
    host=${AWS_ENDPOINT_URL#*://}
    [ "$AWS_S3_ADDRESSING_STYLE" = path ] && bucket=$host || bucket="%(bucket)s.$host"
    [ "${AWS_ENDPOINT_URL%%:*}" = https ] && https=True || https=False
    cat >config <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = $host
host_bucket = $bucket
bucket_location = $AWS_REGION
use_https = $https
ca_certs_file = ${AWS_CA_BUNDLE-}
multipart_chunk_size_mb = 5
multipart_copy_chunk_size_mb = 5
max_retries = ${RETRIES:-1}
END
fi
s3cmd() { "$PROGRAM" --config config --no-progress "$@"; }
url=s3://${BUCKET_NAME-}/${KEY-}
put() { s3cmd put -q in "$url" "$@"; }
names() { sed 's#.*s3://[^/]*/##'; }

case_put() { put; }
case_get() { s3cmd get -q "$url" out; }
case_head() { s3cmd info "$url"; }
case_list() { s3cmd ls --recursive "$url/" | names; }
case_delimiter() { s3cmd ls "$url/" | names; }
case_buckets() { s3cmd ls | sed 's#.*s3://##'; }
case_range() { na "it continues downloads, and reads no other ranges"; }
case_copy() { s3cmd cp -q "$url" "$url.copy"; }
case_move() { s3cmd mv -q "$url" "$url.moved"; }
case_delete() { s3cmd del -q "$url"; }
case_delete-many() { s3cmd del -q --recursive --force "$url/"; }
case_stream() { s3cmd put -q - "$url"; }
case_sync() { s3cmd sync -q up/ "$url/"; mkdir down; s3cmd sync -q "$url/" down/; [ -z "$(s3cmd sync up/ "$url/")" ]; }
case_put-metadata() { put --add-header x-amz-meta-colour:blue; }
case_put-headers() { put --mime-type $type --add-header Cache-Control:$cache --add-header "Content-Disposition:$disposition"; }
case_tags() { s3cmd settagging "$url" project=cosi 2>&1 && s3cmd gettagging "$url" || na "it has tags from 2.4 on"; }
case_presign-get() { na "it signs URLs with SigV2"; }
case_sigv2() { s3cmd --signature-v2 ls "$url"; } # get begins with HEAD, whose answers have no message
