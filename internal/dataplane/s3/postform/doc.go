// Package postform reads forms for uploads by browsers, and checks their POST policies: the allowed
// fields, and the expiry. It does not verify the signature of a policy. All errors are S3's.
package postform
