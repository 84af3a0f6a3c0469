package spec

import "go.yaml.in/yaml/v3"

// Backend changes and inspects the store without COSI. It changes first.
type Backend struct {
	Buckets  Named `yaml:"buckets" doc:"expected buckets by name: owner, protocol, region, versioning, tags, ...; or absent"`
	Objects  Named `yaml:"objects" doc:"expected objects by bucket: {KEY: {size: 5}} or {KEY: absent}"`
	Accounts Named `yaml:"accounts" doc:"expected accounts by ID: owner, grants, serviceAccount, ...; or absent"`
	// Policies are the grants of all accounts by bucket.
	Policies Named `yaml:"policies" doc:"expected grants by bucket: {ACCOUNT: {objectData: ReadWrite}} or {ACCOUNT: absent}"`
	// Only excludes others of this scenario.
	Only bool `yaml:"only" doc:"the scenario has no other buckets and accounts"`

	CreateBucket  Text       `yaml:"createBucket" doc:"create a bucket without the driver"`
	DeleteBucket  Text       `yaml:"deleteBucket" doc:"delete a bucket and its objects"`
	DeleteAccount Text       `yaml:"deleteAccount" doc:"delete an account"`
	Put           *PutObject `yaml:"put" doc:"put an object into a bucket"`
	DeleteObject  *Place     `yaml:"deleteObject" doc:"delete an object from a bucket, if it exists"`
	SetPolicy     *Policy    `yaml:"setPolicy" doc:"change the grants of an account in a bucket"`
}

// PutObject puts an object into a bucket.
type PutObject struct {
	Bucket  Text `yaml:"bucket" required:"true" doc:"name of the bucket"`
	Key     Text `yaml:"key" required:"true" doc:"key of the object"`
	Content Text `yaml:"content" doc:"content of the object"`
}

// Place is the place of an object.
type Place struct {
	Bucket Text `yaml:"bucket" required:"true" doc:"name of the bucket"`
	Key    Text `yaml:"key" required:"true" doc:"key of the object"`
}

// Policy replaces an account's rights in a bucket. A missing category is none; without any, the
// account does not reach the bucket.
type Policy struct {
	Bucket         Text   `yaml:"bucket" required:"true" doc:"name of the bucket"`
	Account        Text   `yaml:"account" required:"true" doc:"ID of the account"`
	ObjectData     string `yaml:"objectData" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; default: no access"`
	ObjectMetadata string `yaml:"objectMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; default: no access"`
	BucketMetadata string `yaml:"bucketMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; default: no access"`
}

// S3 uses S3 with only the credentials of a Secret.
type S3 struct {
	Secret Text  `yaml:"secret" required:"true" doc:"name of the Secret, or NAMESPACE/NAME"`
	Put    Text  `yaml:"put" doc:"put an object: its key"`
	Get    Text  `yaml:"get" doc:"get an object: its key"`
	Head   Text  `yaml:"head" doc:"head an object: its key"`
	Delete Text  `yaml:"delete" doc:"delete an object: its key"`
	List   *Text `yaml:"list" doc:"list keys: their prefix, which may be empty"`
	// Multipart uploads Size bytes in parts.
	Multipart  Text `yaml:"multipart" doc:"upload an object in parts: its key"`
	PresignGet Text `yaml:"presignGet" doc:"get an object by a presigned URL: its key"`
	PresignPut Text `yaml:"presignPut" doc:"put an object by a presigned URL: its key"`

	// ServiceAccount authenticates by its token instead of the Secret's key.
	ServiceAccount Text `yaml:"serviceAccount" doc:"ServiceAccount whose token replaces the Secret's key"`
	Access         Text `yaml:"access" doc:"with serviceAccount: name of the BucketAccess"`

	Bucket  Text   `yaml:"bucket" doc:"bucket; default: the Secret's"`
	Content *Text  `yaml:"content" doc:"content to put, or expected content"`
	Size    Bytes  `yaml:"size" doc:"size to put or expect, instead of content: 6000000 or 6Mi"`
	Keys    []Text `yaml:"keys" doc:"expected keys"`
	// Code is the expected error code of S3; empty: success.
	Code Text `yaml:"code" doc:"expected S3 error code; default: success"`
}

// Named are patterns by names, which may have expressions in them.
type Named []NamedPattern

// NamedPattern is the pattern of the resource with a name.
type NamedPattern struct {
	Name    Text
	Pattern Pattern
}

func (all *Named) decode(d *decoder, n *yaml.Node) {
	d.pairs(n, func(key, value *yaml.Node) {
		named := NamedPattern{Name: d.text(key, key.Value)}
		named.Pattern.decode(d, value)
		*all = append(*all, named)
	})
}
