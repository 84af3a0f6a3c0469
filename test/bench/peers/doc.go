// Package peers measures the S3 store beside other S3 servers. All run as processes of
// their own, with their data in directories of one file system, and take turns under the
// same load from the same client.
//
// The other servers are no dependency of this module: the go command builds them from the
// module proxy, in pinned versions, into the user's cache directory.
package peers
