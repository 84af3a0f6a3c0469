// Package postform reads the forms that browsers upload files with, and checks their POST
// policies: which fields a form may have, until when. It does not verify who signed a policy.
// All errors are those of S3.
package postform
