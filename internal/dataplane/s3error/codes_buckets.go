package s3error

import "net/http"

// ErrInvalidLocationConstraint rejects CreateBucket in a region with an invalid name.
var ErrInvalidLocationConstraint = define("InvalidLocationConstraint", http.StatusBadRequest,
	"The specified location constraint is not valid")
