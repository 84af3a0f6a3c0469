package spec

import "go.yaml.in/yaml/v3"

// Backend looks at, or changes, what the store holds, without asking COSI. It changes
// first.
type Backend struct {
	Buckets  Named `yaml:"buckets" doc:"what the buckets are like, by their names: owner, protocol, region, versioning, tags, ...; or absent"`
	Objects  Named `yaml:"objects" doc:"what is in buckets of S3, by their names: {KEY: {size: 5}} or {KEY: absent}"`
	Accounts Named `yaml:"accounts" doc:"what the accounts are like, by their IDs: owner, grants, serviceAccount, ...; or absent"`
	// Policies are the grants of all accounts by the buckets that they are of.
	Policies Named `yaml:"policies" doc:"who may do what in buckets, by their names: {ACCOUNT: {objectData: ReadWrite}} or {ACCOUNT: absent}"`
	// Only says that there are no others of this scenario.
	Only bool `yaml:"only" doc:"there are no other buckets and accounts of this scenario"`

	CreateBucket  Text       `yaml:"createBucket" doc:"make a bucket that no driver knows of"`
	DeleteBucket  Text       `yaml:"deleteBucket" doc:"delete a bucket with all that is in it"`
	DeleteAccount Text       `yaml:"deleteAccount" doc:"delete an account"`
	Put           *PutObject `yaml:"put" doc:"put an object into a bucket of S3"`
	DeleteObject  *Place     `yaml:"deleteObject" doc:"delete an object in a bucket of S3"`
	SetPolicy     *Policy    `yaml:"setPolicy" doc:"change what an account may do in a bucket"`
}

// PutObject is an object that is put into a bucket.
type PutObject struct {
	Bucket  Text `yaml:"bucket" required:"true" doc:"its name"`
	Key     Text `yaml:"key" required:"true" doc:"the key of the object"`
	Content Text `yaml:"content" doc:"what is in it"`
}

// Place is where an object is.
type Place struct {
	Bucket Text `yaml:"bucket" required:"true" doc:"its name"`
	Key    Text `yaml:"key" required:"true" doc:"the key of the object"`
}

// Policy is what an account may do in a bucket, instead of what it might before. A
// category that is not given is none; without any, the account does not reach the
// bucket.
type Policy struct {
	Bucket         Text   `yaml:"bucket" required:"true" doc:"its name"`
	Account        Text   `yaml:"account" required:"true" doc:"the ID of the account"`
	ObjectData     string `yaml:"objectData" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; nothing by default"`
	ObjectMetadata string `yaml:"objectMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; nothing by default"`
	BucketMetadata string `yaml:"bucketMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly; nothing by default"`
}

// S3 uses S3 with the credentials of a Secret, and with nothing else that it
// knows.
type S3 struct {
	Secret Text  `yaml:"secret" required:"true" doc:"the name of the Secret"`
	Put    Text  `yaml:"put" doc:"the key of an object to put"`
	Get    Text  `yaml:"get" doc:"the key of an object to get"`
	Head   Text  `yaml:"head" doc:"the key of an object to look at"`
	Delete Text  `yaml:"delete" doc:"the key of an object to delete"`
	List   *Text `yaml:"list" doc:"the prefix of keys to list; may be empty"`
	// Multipart uploads Size bytes in parts.
	Multipart  Text `yaml:"multipart" doc:"the key of an object to upload in parts"`
	PresignGet Text `yaml:"presignGet" doc:"the key of an object to get by a presigned URL"`
	PresignPut Text `yaml:"presignPut" doc:"the key of an object to put by a presigned URL"`

	// ServiceAccount authenticates by its token instead of the Secret's key.
	ServiceAccount Text `yaml:"serviceAccount" doc:"the ServiceAccount whose token is used instead of the Secret's key"`
	Access         Text `yaml:"access" doc:"with serviceAccount: the name of the BucketAccess that is used"`

	Bucket  Text   `yaml:"bucket" doc:"another bucket than the Secret's"`
	Content *Text  `yaml:"content" doc:"what to put, or what must come back"`
	Size    Bytes  `yaml:"size" doc:"how many bytes to put, or must come back, instead of content: 6000000 or 6Mi"`
	Keys    []Text `yaml:"keys" doc:"what must be listed"`
	// Code is the error code of S3 that must come back; empty: it is allowed.
	Code Text `yaml:"code" doc:"the error code of S3 that must come back; without it the operation must be allowed"`
}

// Named are patterns by names, which may have expressions in them.
type Named []NamedPattern

// NamedPattern is what the thing of a name must be like.
type NamedPattern struct {
	Name    Text
	Pattern Pattern
}

// decode implements custom.
func (all *Named) decode(d *decoder, n *yaml.Node) {
	d.pairs(n, func(key, value *yaml.Node) {
		named := NamedPattern{Name: d.text(key, key.Value)}
		named.Pattern.decode(d, value)
		*all = append(*all, named)
	})
}
