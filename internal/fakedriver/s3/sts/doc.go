// Package sts is the one operation of Amazon's Security Token Service that is
// served, at the address of S3: AssumeRoleWithWebIdentity. It exists so that
// applications without a key can exchange the token of their ServiceAccount for a
// temporary one, as AWS SDKs do by themselves. See the AWS STS API reference.
package sts
