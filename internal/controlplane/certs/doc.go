// Package certs is the certificate authority of an emulator. It signs the certificate of the S3
// store, so that applications can be tried with TLS and with a certificate that they must be
// configured to trust, as on a real cluster. It also signs the certificates of the API server and
// its clients.
//
// It can sign for this machine only, and for the hosts of New: a client that trusts it, even a
// whole browser, trusts it for localhost, loopback addresses and those hosts only.
package certs
