package main

// stumbles are the mistakes and the expectations of newcomers at which an earlier version stopped them without a cause, or
// went on without a word.
var stumbles = []person{
	{name: "developer who stumbles", commands: typed(
		command{text: "cosi-emu status", want: "start it with 'cosi-emu up'", fails: true},
		command{text: "cosi-emu example > bucket.yaml"},

		// A wrong name and a protocol that is off: the cause, and no timeout.
		command{text: "cosi-emu example | sed 's/ClassName: standard/ClassName: standrad/' > wrong.yaml"},
		command{
			text: "cosi-emu exec --apply wrong.yaml --access demo/photos-rw -- cosi-emu version", fails: true,
			want: `BucketClass "standrad" not found: did you mean "standard"?`,
		},
		command{text: "echo '" + smallClass + "' > class.yaml"},
		command{text: "cosi-emu example | sed 's/bucketClassName: standard/bucketClassName: small/' > small.yaml"},
		command{
			text: "cosi-emu exec --apply class.yaml --apply small.yaml --access demo/photos-rw -- cosi-emu version", fails: true,
			want: `parameter quotaBytes is "lots", which is not allowed: it must be a whole Kubernetes quantity`,
		},
		command{text: "cosi-emu example --protocol GCS > gcs.yaml"},
		command{
			text: "cosi-emu exec --apply gcs.yaml --access demo/photos-rw -- cosi-emu version", fails: true,
			want: "spec.protocols has GCS, but driver fake.cosi-emu serves only [S3]; start the emulator with --protocols S3,GCS",
		},

		// An emulator with a name, which no later command repeats.
		command{text: "cosi-emu up -d --name shop --data-dir data --protocols S3,GCS --tls", want: `COSI is up (emulator "shop")`},
		command{text: `eval "$(cosi-emu env --name shop)"`},
		command{text: "cosi-emu status", want: `Emulator "shop" is up`},
		command{text: "cosi-emu exec -- cosi-emu status", want: `Emulator "exec-`},
		command{text: "cosi-emu run --suite --scenario claim-first", want: "1 passed"},
		command{text: "kubectl apply -f bucket.yaml"},
		command{text: "kubectl -n demo wait --for=condition=Provisioned bucketclaim/photos bucketaccess/photos-rw"},
		command{text: "cosi-emu env --access photos-rw", want: `"photos-rw" must have the form namespace/name`, fails: true},
		command{
			text: "cosi-emu example | sed 's/name: photos-rw/name: app/' | " +
				"sed 's/AccessClassName: standard/AccessClassName: standrad/' > app.yaml",
		},
		command{text: "kubectl apply -f app.yaml"},
		command{
			text: "cosi-emu env --access demo/app", fails: true,
			want: `BucketAccess demo/app: ...BucketAccess "app": BucketAccessClass "standrad" not found: did you mean "standard"?`,
		},
		command{text: "cosi-emu explain BucketAccessClassNotFound", want: "BucketAccessClassNotFound ("},
		command{text: `eval "$(cosi-emu env --access demo/photos-rw)"`},
		command{text: "echo hello > hello.txt"},
		command{text: `aws --endpoint-url "$AWS_ENDPOINT_URL" s3 cp hello.txt "s3://$BUCKET_NAME/"`},
		command{text: "cosi-emu env --access demo/photos-rw --map S3_BUCKET=BUCKET_NAME -o dotenv", want: "\nS3_BUCKET=bc-"},
		command{text: "cosi-emu env --access demo/photos-rw -o docker", want: "'docker run --network host'...AWS_CA_BUNDLE is a file: -v "},

		// Faults without a name, without a seam, and with the wrong ones.
		command{
			text: "cosi-emu fault add --operation DriverCreateBukcet --fail Unavailable", fails: true,
			want: `unknown operation "DriverCreateBukcet": did you mean "DriverCreateBucket" of seam rpc?`,
		},
		command{
			text: "cosi-emu fault add --seam api --operation DriverCreateBucket --fail Unavailable", fails: true,
			want: "that is an operation of seam rpc",
		},
		command{
			text: "cosi-emu fault add --operation DriverCreateBucket --fail Unavailable --times 1",
			want: `Fault "DriverCreateBucket" is active`,
		},
		command{text: "cosi-emu fault clear", want: "All faults are removed"},
		command{text: "cosi-emu fault add --operation DriverGrantBucketAccess --fail InvalidArgument"},
		command{text: "cosi-emu example | sed 's/name: photos-rw/name: job/' | sed 's/photos-credentials/job-credentials/' > job.yaml"},
		command{text: "kubectl apply -f job.yaml"},
		command{
			text: "cosi-emu env --access demo/job", fails: true,
			want: `COSI does not retry until an object is corrected: BucketAccess "job": DriverGrantBucketAccess failed with InvalidArgument`,
		},
		command{text: "cosi-emu fault clear", want: "All faults are removed"},

		command{text: "cosi-emu snapshot save photos.snapshot", want: "photos.snapshot"},
		command{text: "cosi-emu snapshot inspect photos.snapshot", want: "protocols       S3, GCS"},
		command{text: "cosi-emu ui", want: "http://127.0.0.1:"},
		command{text: "cosi-emu ui --open", want: "set BROWSER to one, or open the URL that 'cosi-emu ui' prints", fails: true},
		command{text: "cosi-emu down", want: `emulator "shop" is stopped`},
		command{text: "cosi-emu ui", want: "start it with 'cosi-emu up --name shop'", fails: true},

		// A data directory keeps protocols and TLS, and its Secrets follow the ports.
		command{
			text: "cosi-emu up -d --data-dir data --s3-port " + portName,
			want: `COSI is up (emulator "shop")...Warning: S3 listens on port...GCS endpoint   https://127.0.0.1:`,
		},
		command{text: `eval "$(cosi-emu env --access demo/photos-rw)"`},
		command{text: `aws --endpoint-url "$AWS_ENDPOINT_URL" s3 ls "s3://$BUCKET_NAME/"`, want: "hello.txt"},
		command{text: "cosi-emu down", want: "is stopped"},
	)},
	{name: "test author who stumbles", commands: typed(
		command{text: "cosi-emu init scenario - | sed 's/readyToUse: true/readyToUse: tru/' > typo.yaml"},
		command{text: "cosi-emu lint typo.yaml", want: `readyToUse is the text "tru", and must be true or false`, fails: true},
		command{text: `cosi-emu init scenario - | sed 's/protocols: \[S3\]/protocols: S3/' > typo.yaml`},
		command{text: "cosi-emu lint typo.yaml", want: `protocols is the text "S3", and must be a list`, fails: true},
		command{text: "cosi-emu init scenario - | sed 's/bucketClassName: [^,]*/bucketClassName: standrad/' > missing.yaml"},
		command{text: "cosi-emu run missing.yaml", want: `BucketClass "standrad" not found`, fails: true},
		command{text: "echo '{apiVersion: cosi-emu/v1alpha1, kind: Scenario, name: changed, steps: [" +
			`{timeout: 1s, expect: {Secret/none: {data: {KEY: {cel: "self != \"old\""}}}}}` + "]}' > changed.yaml"},
		command{
			text: "cosi-emu run changed.yaml", fails: true,
			want: "Secret/none: condition not met after 1s...run just this again:\n\n    cosi-emu run changed.yaml --scenario changed\n",
		},
		command{text: "cosi-emu run changed.yaml --scenario changed", want: "Secret/none: condition not met after 1s", fails: true},
		command{text: "echo '{apiVersion: cosi-emu/v1alpha1, kind: Scenario, name: part, steps: [" +
			"{apply: {kind: BucketAccess, metadata: {name: app}, spec: {bucketAccessClassName: standard, protocol: S3}}}, " +
			"{apply: {kind: BucketClaim, metadata: {name: photos}, spec: {protocols: [S3]}}}]}' > part.yaml"},
		command{
			text: "cosi-emu lint part.yaml", fails: true,
			want: "BucketAccess.spec has no bucketClaims, which the API requires\n...exactly one of bucketClassName and existingBucketName must be",
		},
		command{text: "echo '{apiVersion: cosi-emu/v1alpha1, kind: Scenario, name: life, setup: {api: v1alpha1}, steps: [" +
			"{apply: [{kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: standard, protocols: [S3]}}]}, " +
			"{expect: {BucketClaim/photos: {status: {bucketReady: true}}}}]}' > life.yaml"},
		command{text: "cosi-emu run life.yaml", want: "1 passed"},
		command{text: "cosi-emu init explore lifecycle.yaml", want: "is written"},
		command{
			text: "cosi-emu explore lifecycle.yaml --out found/ --report html=found/all.html --sample 4 --parallel 1",
			want: " effects tried\n...no findings",
		},
		command{
			text: "cosi-emu explore --suite --scenario claim-first --sample 2 --parallel 1",
			want: ", 2/... effects tried\n2 runs in ... in 1 sandbox on embedded: ...no findings",
		},
	)},
	{name: "driver author who stumbles", commands: typed(
		// The driver forgets its buckets when it is killed. The output is short, and the command of the failed check can be pasted.
		command{
			text: "cosi-emu conformance --only CS-11 --seed stumble --driver-cmd '" + forgetfulDriver + "'", fails: true, most: 20,
			want: "not conformant...Fix first:\n  CS-11 ...add --report DIRECTORY...CS-11 ...: fail: ...  rerun: " + rerun + "\n",
		},
		command{text: rerun, want: "CS-11 ...: fail: ", fails: true},
		command{
			text: "cosi-emu conformance --only CS-11 --report results --driver-cmd '" + forgetfulDriver + "'", fails: true, most: 20,
			want: "not conformant...Fix first:\n  ...The calls of each check: results/report.html",
		},
	)},
}

// forgetfulDriver is a driver that keeps nothing when it is killed.
const forgetfulDriver = "cosi-emu driver --endpoint=$(COSI_ENDPOINT) --s3-bind-address=127.0.0.1:" + portName

// rerun is the command that conformance prints for a failed check.
const rerun = "cosi-emu conformance '--driver-cmd=" + forgetfulDriver + "' --only CS-11 --seed stumble"

// smallClass is a BucketClass with a parameter that the driver rejects.
const smallClass = `{"apiVersion": "objectstorage.k8s.io/v1alpha2", "kind": "BucketClass", "metadata": {"name": "small"}, ` +
	`"spec": {"driverName": "fake.cosi-emu", "deletionPolicy": "Delete", "parameters": {"quotaBytes": "lots"}}}`
