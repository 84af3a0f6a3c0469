// Package authorization says who may do what, at this moment: the buckets,
// accounts, keys and sessions that exist, the grants that join them, and the gate
// at which requests and revocations meet. The data planes of all protocols ask it
// on every request, so that a grant means the same in each; package administration
// changes it. It keeps nothing on the disk.
package authorization
