package description

import "time"

// Exchange is one gRPC call, without secrets.
type Exchange struct {
	Method   string        `json:"method"`
	Request  string        `json:"request,omitempty"`
	Response string        `json:"response,omitempty"`
	Code     string        `json:"code"`
	Message  string        `json:"message,omitempty"`
	Took     time.Duration `json:"took"`
}
