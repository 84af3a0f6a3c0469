# gsutil of Google's SDK: which uses the XML API with HMAC keys.
export COSI_GCS_ENDPOINT=${COSI_GCS_ENDPOINT-http://localhost:1}
host=${COSI_GCS_ENDPOINT#*://}
host=${host/127.0.0.1/localhost} # its library boto does not find IP addresses in certificates
[ "${COSI_GCS_ENDPOINT%%:*}" = https ] && https=True || https=False
cat >"$BOTO_CONFIG" <<END
[Credentials]
gs_host = ${host%:*}
gs_port = ${host##*:}
gs_access_key_id = ${HMAC_ACCESS_ID-}
gs_secret_access_key = ${HMAC_SECRET-}
[Boto]
is_secure = $https
ca_certificates_file = ${AWS_CA_BUNDLE-system}
num_retries = ${RETRIES:-0}
[GSUtil]
prefer_api = xml
resumable_threshold = 5242880
state_dir = $PWD
END
url=gs://${BUCKET_NAME-}/${KEY-}
gsutil() { "$PROGRAM" -q "$@"; }

case_put() { gsutil cp in "$url"; }
case_get() { gsutil cat "$url" >out; } # cp fails on a port in its configuration, which its library boto prints as a number
case_head() { "$PROGRAM" stat "$url"; }
case_list() { gsutil ls "$url/**" | sed 's#gs://[^/]*/##'; }
case_delimiter() { gsutil ls "$url/" | sed 's#gs://[^/]*/##'; }
case_range() { gsutil cat -r 1000-1999 "$url" >out; }
case_copy() { gsutil cp "$url" "$url.copy"; }
case_move() { gsutil mv "$url" "$url.moved"; }
case_delete() { gsutil rm "$url"; }
case_delete-many() { gsutil rm "$url/1" "$url/2"; }
case_stream() { gsutil cp - "$url"; }
case_sync() { na "its library boto cannot download into a file from an endpoint with a port of its own"; }
case_put-metadata() { gsutil -h x-goog-meta-colour:blue cp in "$url"; }
case_put-headers() { gsutil -h Content-Type:$type -h Cache-Control:$cache -h "Content-Disposition:$disposition" cp in "$url"; }
case_put-new() { gsutil -h x-goog-if-generation-match:0 cp in "$url"; }
case_put-match() { gsutil -h x-goog-if-generation-match:1 cp in "$url"; }
case_presign-get() { na "it signs URLs with the key of a service account, and Secrets have HMAC keys"; }
case_presign-put() { case_presign-get; }
