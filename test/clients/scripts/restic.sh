# restic, which makes backups in a bucket.
export RESTIC_REPOSITORY=s3:${AWS_ENDPOINT_URL-}/${BUCKET_NAME-}/${KEY-} RESTIC_PASSWORD=secret
export RESTIC_CACERT=${AWS_CA_BUNDLE-} RESTIC_CACHE_DIR=$PWD/cache
style=dns
[ "${AWS_S3_ADDRESSING_STYLE-path}" = virtual ] || style=path
restic() { "$PROGRAM" --quiet -o s3.bucket-lookup=$style -o s3.region="$AWS_REGION" "$@"; }

case_version() { "$PROGRAM" version; }
case_backup() {
    restic init
    (cd up && restic backup .)
    head -c 20000000 /dev/urandom >more
    restic backup more
    restic check --read-data
    restic restore latest --path "$PWD/up" --target down
    restic forget --keep-last 1 --group-by '' --prune
    restic check
    [ "$(restic snapshots --json | grep -o '"short_id"' | wc -l)" = 1 ]
}
