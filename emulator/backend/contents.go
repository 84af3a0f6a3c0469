package backend

// Contents lists a part of a bucket.
type Contents struct {
	// Keys are the keys of objects, and Uploads the keys of unfinished multipart uploads.
	Keys    []string `json:"keys,omitempty"`
	Uploads []string `json:"uploads,omitempty"`
	// Truncated means that the bucket contains more.
	Truncated bool `json:"truncated,omitempty"`
}
