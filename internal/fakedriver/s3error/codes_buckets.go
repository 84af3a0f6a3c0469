package s3error

import "net/http"

// ErrInvalidLocationConstraint refuses CreateBucket in a region that cannot be.
var ErrInvalidLocationConstraint = define("InvalidLocationConstraint", http.StatusBadRequest,
	"The specified location constraint is not valid")
