# azcopy, with the URI of the Secret.
export AZCOPY_LOG_LOCATION=$PWD/log AZCOPY_JOB_PLAN_LOCATION=$PWD/plan AZCOPY_SHOW_PERF_STATES=
sas=${AZURE_STORAGE_SAS_TOKEN-} base=${AZURE_STORAGE_SAS_TOKEN-}
base=${base%%\?*}
sas=${sas#*\?}
# encoded KEY: azcopy takes URLs.
encode() { node -e 'process.stdout.write(process.argv[1].split("/").map(encodeURIComponent).join("/"))' "$1"; }
url() { echo "$base/$(encode "$1")?$sas"; }
# azcopy says in a log why a transfer has failed.
azcopy() { "$PROGRAM" "$@" --output-level essential >printed 2>&1 && cat printed || { cat printed log/*.log >&2; return 1; }; }
up() { azcopy copy in "$(url "$KEY")" --from-to LocalBlob "$@"; }
list() { azcopy list "$(url "$1/")" --location Blob --output-type text | sed -n 's/^\(INFO: \)\{0,1\}\(.*\);.*/\2/p'; }

case_put() { up; }
case_get() { azcopy copy "$(url "$KEY")" out --from-to BlobLocal; }
case_head() { azcopy list "$(url "$KEY")" --location Blob --machine-readable; }
case_list() { list "$KEY"; }
case_copy() { azcopy copy "$(url "$KEY")" "$(url "$KEY.copy")" --from-to BlobBlob; }
case_delete() { azcopy remove "$(url "$KEY")" --from-to BlobTrash; }
case_delete-many() { azcopy remove "$(url "$KEY/")" --from-to BlobTrash --recursive; }
case_put-parts() { up --block-size-mb 5 --put-blob-size-mb 5; }
case_stream() { cat | azcopy copy "$(url "$KEY")" --from-to PipeBlob; }
case_sync() { azcopy sync up "$(url "$KEY")" --from-to LocalBlob; mkdir down; azcopy sync "$(url "$KEY")" down --from-to BlobLocal; }
case_put-metadata() { up --metadata colour=blue; }
case_get-metadata() { na "it does not print metadata"; }
case_put-headers() { up --content-type "$type" --cache-control "$cache" --content-disposition "$disposition"; }
case_put-new() { na "it skips blobs that exist"; }
case_anonymous() { azcopy copy "$base/$(encode "$KEY")" out --from-to BlobLocal; }
