// Package authorization has the current permissions: buckets, accounts, keys, sessions and grants,
// and the gate that orders requests and revocations. The data planes of all protocols check every
// request with it, so that a grant has the same meaning in each. Package administration changes it.
// It stores nothing on disk.
package authorization
