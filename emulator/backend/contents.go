package backend

// Contents are what a bucket holds.
type Contents struct {
	// Keys are those of its objects, and Uploads those of its unfinished multipart uploads.
	Keys    []string `json:"keys,omitempty"`
	Uploads []string `json:"uploads,omitempty"`
	// Truncated means that there are more.
	Truncated bool `json:"truncated,omitempty"`
}
