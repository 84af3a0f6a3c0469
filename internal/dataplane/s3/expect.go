package s3

import "net/http"

// continueEmpty sends "100 Continue" to a client that waits for it before an empty body. net/http
// sends it when a body is read, but does not count an empty one. Without it, botocore (in boto3 and
// the AWS CLI) applies the final status of this response to the next request on the connection, and
// then waits for a body until the connection ends.
func continueEmpty(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 && r.Header.Get("Expect") != "" {
		w.WriteHeader(http.StatusContinue) // net/http handles other expectations
	}
}
