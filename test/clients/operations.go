package main

import (
	"crypto/md5" //nolint:gosec // it is what an ETag is
	"fmt"
)

// operation is a row of the table: steps that must all succeed.
type operation struct {
	title, proof string
	in           []protocol
	steps        []step
}

func op(title, proof string, in []protocol, steps ...step) operation {
	return operation{title, proof, in, steps}
}

// step is one run of a client.
type step struct {
	// do is the task of the client: a case of its script, or another one if the script does not have it.
	do, or string
	// as is the access, and with changes its variables.
	as   string
	with environment
	// key is the object; it defaults to the name of the case.
	key string
	// size is the size of the content that the client gets in the file "in", or of the object, in
	// bytes. It defaults to small.
	size int
	// given are objects that exist before: suffixes of the key.
	given []string
	// metadata is the metadata of the given objects.
	metadata map[string]string
	// prepare does what else has to be done before.
	prepare func(*try) error
	// fails is set for a run that must fail, with an output that this matches, and write nothing.
	fails string
	// check verifies the client's work.
	check func(*try) error
}

const (
	small = 3000
	empty = -1
	// large is above the size from which clients are told to use several parts, which are 5 MiB.
	large = 12<<20 + 17
	// pages is more than the keys on a page, whose size some clients cannot change.
	pages = 1003
	// oddKey is the key that clients must encode.
	oddKey = "odd/ä ö+%20&=#~'!();,@$/日本.txt"
)

// itself is the suffix of the key, and of no other object.
var itself = []string{""}

// The contents of the directory that clients synchronize.
func tree() map[string]string {
	return map[string]string{"a/one.txt": "one", "a/b/two ä.txt": "two", "three+&.txt": "three"}
}

var (
	everywhere = []protocol{s3, gcs, xmlAPI, azure}
	onlyS3     = []protocol{s3}
	onlyAzure  = []protocol{azure}
	withKeys   = []protocol{s3, gcs, xmlAPI}
)

// How clients print that a request is rejected, that a key is wrong, and that a condition is not met.
const (
	denied = `(?i)access ?denied|forbidden|\b40[13]\b|unauthorized|AuthenticationFailed|Authorization\w+Mismatch|AuthorizationFailure|` +
		`InvalidAuthenticationInfo|insufficient permissions`
	wrongKey     = `(?i)SignatureDoesNotMatch|signature|\b40[13]\b|forbidden|invalid credentials|authError`
	precondition = `(?i)PreconditionFailed|pre-?condition|conditionNotMet|ConditionNotMet|BlobAlreadyExists|\b412\b|already exists`
)

// operations are the rows of the tables.
var operations = []operation{
	op("Put", "the object has the content, also an empty one", everywhere,
		step{do: "put", check: stored("")}, step{do: "put", key: "empty", size: empty, check: stored("")}),
	op("Get", "the file has the content", everywhere, step{do: "get", given: itself, check: downloaded}),
	op("Head", "prints the size", everywhere, step{do: "head", given: itself, check: prints(fmt.Sprint(small))}),
	op("List", "prints every key below a prefix once", everywhere,
		step{do: "list", given: []string{"/1", "/2", "/3/4"}, check: lines("1", "2", "3/4")}),
	op("List pages", "several pages have every key once", everywhere,
		step{do: "list", key: "pages", size: 1, given: manyKeys("/"), check: lines(manyKeys("")...)}),
	op("List with delimiter", "prints objects and common prefixes once", everywhere,
		step{do: "delimiter", given: []string{"/a/1", "/a/2", "/b", "/c/1"}, check: lines("a/", "b", "c/")}),
	op("List buckets", "prints the bucket of the access only", onlyS3,
		step{do: "buckets", check: func(t *try) error { return lines(t.environment[varBucket])(t) }}),
	op("Range", "the file has bytes 1000 to 1999", everywhere,
		step{do: "range", given: itself, check: func(t *try) error { return t.expectFile("out", t.content[1000:2000]) }}),
	op("Copy", "the copy has the content", everywhere, step{do: "copy", given: itself, check: stored(".copy")}),
	op("Copy in parts", "the copy has the content", onlyS3,
		step{do: "copy-parts", or: "copy", size: large, given: itself, check: stored(".copy")}),
	op("Move", "the object is at the new key only", everywhere, step{do: "move", given: itself, check: all(stored(".moved"), gone(""))}),
	op("Delete", "the object does not exist any more", everywhere, step{do: "delete", given: itself, check: gone("")}),
	op("Delete many", "in one request if the client can: the named objects are deleted, and no other", everywhere,
		step{do: "delete-many", given: []string{"/1", "/2", "x"}, check: all(gone("/1"), gone("/2"), stored("x"))}),
	op("Upload in parts", "12 MiB in parts of 5 MiB: the object has the content", everywhere,
		step{do: "put-parts", or: "put", size: large, check: all(stored(""), inParts)}),
	op("Download, 12 MiB", "the file has the content", everywhere,
		step{do: "get", key: "large", size: large, given: itself, check: downloaded}),
	op("Upload of unknown length", "the object has what standard input has", everywhere, step{do: "stream", size: large, check: stored("")}),
	op("Synchronize", "a directory is the same after upload and download", everywhere, step{do: "sync", check: synchronized}),
	op("Odd keys", "`"+oddKey+"` is written, listed, read and deleted", everywhere,
		step{do: "put", key: oddKey, check: stored("")},
		step{do: "list", key: "odd", check: lines(oddKey[len("odd/"):])},
		step{do: "get", key: oddKey, given: itself, check: downloaded},
		step{do: "delete", key: oddKey, check: gone("")}),

	op("Metadata", "is written with an object, and read", everywhere,
		step{do: "put-metadata", check: all(stored(""), hasMetadata)},
		step{do: "get-metadata", or: "head", given: itself, metadata: map[string]string{"colour": "red"}, check: prints("red")}),
	op("Headers", "Content-Type, Cache-Control and Content-Disposition are written with an object", everywhere,
		step{do: "put-headers", check: func(t *try) error {
			got, _, err := t.get(t.ctx, t.key)
			want := []string{"text/x-test", "max-age=60", `attachment; filename="a b.txt"`}
			return equal("the headers", []string{got.Get("Content-Type"), got.Get("Cache-Control"), got.Get("Content-Disposition")}, want, err)
		}}),
	op("Tags", "are written to an object, and printed", []protocol{s3, azure},
		step{do: "tags", given: itself, check: all(prints("project", "cosi"), stored(""))}),
	op("Bucket tags", "are written to the bucket, printed and deleted", onlyS3, step{do: "bucket-tags", check: prints("project", "cosi")}),
	op("GetObjectAttributes", "prints size and ETag", onlyS3,
		step{do: "attributes", given: itself, check: func(t *try) error {
			return prints(fmt.Sprint(small), fmt.Sprintf("%x", md5.Sum(t.content)))(t) //nolint:gosec // it is what an ETag is
		}}),
	op("Checksums", "CRC32, CRC32C, SHA1, SHA256 and CRC64NVME are sent, verified and printed", onlyS3, checksumSteps("checksum", small)...),
	op("Checksums of parts", "the client adds them; the object has the content", onlyS3, checksumSteps("checksum-parts", large)...),
	op("List versions", "prints both versions", onlyS3,
		step{do: "versions", as: versioned, prepare: twice, check: func(t *try) error { return equal("lines", len(t.lines()), 2, nil) }}),
	op("Get a version", "the file has its content", onlyS3, step{do: "get-version", as: versioned, prepare: twice, check: downloaded}),
	op("Undelete", "without the delete marker, the object has its content", onlyS3,
		step{do: "undelete", as: versioned, given: itself, prepare: deleted, check: stored("")}),

	op("Put if it does not exist", "the object that exists stays", everywhere,
		step{do: "put-new", given: []string{".old"}, check: stored("")},
		step{do: "put-new", key: "put-new.old", fails: precondition, given: itself}),
	op("Put if it is the same", "If-Match, or the generation, of another object fails", everywhere,
		step{do: "put-match", given: itself, fails: precondition}),
	op("Get if it has changed", "If-None-Match with the ETag returns 304", everywhere,
		step{do: "get-changed", given: itself, prepare: knowETag, fails: `(?i)304|not ?modified|ConditionNotMet`}),
	op("Presigned GET", "a plain HTTP client gets the object, and no other", withKeys,
		step{do: "presign-get", given: itself, check: presignedGet}),
	op("Presigned PUT", "a plain HTTP client writes the object", withKeys, step{do: "presign-put", check: presignedPut}),
	op("Presigned PUT with metadata", "which the client moves into the URL, or prints as headers", onlyS3,
		step{do: "presign-put-metadata", check: all(presignedPut, hasMetadata)}),
	op("POST form", "a browser's form writes the object", onlyS3, step{do: "post-form", check: postForm}),

	op("Compose", "the object has the contents of two", []protocol{gcs}, step{do: "compose", given: []string{".a", ".b"}, check: doubled}),
	op("Append blob", "the blob has both blocks", onlyAzure, step{do: "append", check: doubled}),
	op("Snapshot", "the snapshot of a blob that was overwritten has its content", onlyAzure,
		step{do: "snapshot", given: itself, check: downloaded}),
	op("Lease", "a leased blob is written with its lease only", onlyAzure, step{do: "lease", given: itself, fails: `LeaseIdMissing`}),
	op("Backup", "init, backup twice, check, restore, forget, prune: what is restored is the same", onlyS3,
		step{do: "backup", check: func(t *try) error { return t.expectTree("down") }}),

	op("Wrong secret", "is rejected", withKeys,
		step{do: "get", with: environment{"AWS_SECRET_ACCESS_KEY": "wrong", "HMAC_SECRET": "wrong"}, given: itself, fails: wrongKey}),
	op("Unknown key", "is rejected", withKeys,
		step{do: "get", with: environment{"AWS_ACCESS_KEY_ID": "AKIAUNKNOWN", "HMAC_ACCESS_ID": "AKIAUNKNOWN"}, given: itself,
			fails: wrongKey + `|InvalidAccessKeyId|does not exist`}),
	op("Anonymous", "is rejected", everywhere, step{do: "anonymous", given: itself, fails: denied + `|NoAuthenticationInformation`}),
	op("Read-only key", "reads, and writes and deletes nothing", everywhere,
		step{do: "get", as: readOnly, given: itself, check: downloaded},
		step{do: "put", as: readOnly, key: "read-only", fails: denied},
		step{do: "delete", as: readOnly, given: itself, fails: denied}),
	op("Bucket of another user", "is not read, listed and written", everywhere,
		step{do: "get", as: foreign, given: itself, fails: denied}, step{do: "list", as: foreign, given: []string{"/x"}, fails: denied},
		step{do: "put", as: foreign, key: "foreign", fails: denied}),
	op("Revoked access", "is rejected at once", everywhere,
		step{do: "get", as: revoked, given: itself, fails: denied + `|InvalidAccessKeyId|does not exist in our records`}),
	op("SigV2", "is rejected with a message that asks for AWS4-HMAC-SHA256", onlyS3,
		step{do: "sigv2", given: itself, fails: `AWS4-HMAC-SHA256`}),
}

func checksumSteps(do string, size int) (steps []step) {
	for _, algorithm := range []string{"CRC32", "SHA1", "SHA256", "CRC32C", "CRC64NVME"} {
		if do == "checksum-parts" && algorithm == "CRC64NVME" {
			continue // it has no composite form, and covers the whole object
		}
		check := stored("")
		if do == "checksum" {
			check = all(check, func(t *try) error { return prints(sum(algorithm, t.content))(t) })
		}
		steps = append(steps, step{do: do, key: do + "/" + algorithm, size: size, with: environment{"ALGORITHM": algorithm}, check: check})
	}
	return steps
}

func manyKeys(prefix string) (keys []string) {
	for i := range pages {
		keys = append(keys, fmt.Sprintf("%s%04d", prefix, i))
	}
	return keys
}
