// Package sts serves one operation of Amazon's Security Token Service, at the address of S3:
// AssumeRoleWithWebIdentity. Applications without a key exchange the token of their ServiceAccount
// for a temporary key, which AWS SDKs do automatically. See the AWS STS API reference.
package sts
