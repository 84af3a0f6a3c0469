package fakedriver

// Credentials authenticate an S3 client. Every formatting verb and logger prints them without their
// secret.
type Credentials struct {
	AccessKeyID     string `json:"accessKeyID"`
	SecretAccessKey string `json:"secretAccessKey"`
}

func (c Credentials) String() string { return c.AccessKeyID + "/***redacted***" }

// GoString implements fmt.GoStringer.
func (c Credentials) GoString() string { return "fakedriver.Credentials(" + c.String() + ")" }

// MarshalLog implements logr.Marshaler.
func (c Credentials) MarshalLog() any { return c.String() }
