# mc, MinIO's client, with a host in the environment.
export MC_CONFIG_DIR=$PWD/mc
[ -z "${AWS_ENDPOINT_URL-}" ] || {
    export "MC_HOST_s=${AWS_ENDPOINT_URL%%://*}://$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY@${AWS_ENDPOINT_URL#*://}"
    [ -z "${AWS_CA_BUNDLE-}" ] || { mkdir -p mc/certs/CAs; cp "$AWS_CA_BUNDLE" mc/certs/CAs/ca.crt; }
}
mc() { "$PROGRAM" --quiet --no-color "$@"; }
url=s/${BUCKET_NAME-}/${KEY-}
keys() { mc ls "$@" | sed 's/^\[[^]]*\] *[0-9.]*[KMGi]*B \(STANDARD \)\{0,1\}//'; }
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

case_version() { go version -m "$PROGRAM" | grep 'minio/mc[[:space:]]*v'; } # it knows its own only in releases
case_put() { mc put in "$url"; }
case_get() { mc get "$url" out; }
case_head() { mc stat --json "$url"; }
case_list() { keys --recursive "$url/"; }
case_delimiter() { keys "$url/"; }
case_buckets() { keys s | tr -d /; }
case_range() { mc cat --offset 1000 "$url" | head -c 1000 >out || [ $? = 141 ]; }
case_copy() { mc cp "$url" "$url.copy"; }
case_move() { mc mv "$url" "$url.moved"; }
case_delete() { mc rm "$url"; }
case_delete-many() { mc rm --recursive --force "$url/"; }
case_put-parts() { mc pipe --part-size 5MiB "$url" <in || mc pipe "$url" <in; }
case_stream() { mc pipe "$url"; }
case_sync() { mc mirror up "$url"; mc mirror "$url" down; }
case_put-metadata() { mc cp --attr colour=blue in "$url"; }
case_put-headers() { na "its attributes cannot have semicolons"; }
case_tags() { mc tag set "$url" project=cosi; mc tag list --json "$url"; }
case_bucket-tags() { mc tag set "s/$BUCKET_NAME" project=cosi; mc tag list --json "s/$BUCKET_NAME"; mc tag remove "s/$BUCKET_NAME"; }
case_checksum() { na "it sends checksums, and does not print them"; }
case_checksum-parts() { mc put --checksum "$ALGORITHM" --part-size 5MiB in "$url"; }
case_versions() { mc ls --versions --json "$url" | field versionId; }
case_get-version() { mc cp --version-id "$VERSION" "$url" out; }
case_undelete() { mc undo --force "$url"; }
case_presign-get() { mc share download --expire 1m --json "$url" | field share | sed 's/\\u0026/\&/g'; }
case_presign-put() { na "it makes a POST form instead"; }
case_post-form() { na "it prints the form as a command of curl"; }
case_anonymous() { unset MC_HOST_s; export "MC_HOST_s=$AWS_ENDPOINT_URL"; mc cat "$url" >out; }
