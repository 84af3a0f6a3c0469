package s3error

import "net/http"

// The errors of object lock, besides AccessDenied.
var (
	ErrInvalidBucketState = define("InvalidBucketState", http.StatusConflict,
		"The request is not valid for the current state of the bucket")
	ErrInvalidRetentionPeriod = define("InvalidRetentionPeriod", http.StatusBadRequest,
		"Default retention period must be a positive number of at most 36500 days or 100 years")
	ErrNoSuchObjectLockConfiguration = define("NoSuchObjectLockConfiguration", http.StatusNotFound,
		"The specified object does not have a ObjectLock configuration")
)
