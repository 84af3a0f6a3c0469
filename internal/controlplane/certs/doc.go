// Package certs is the certificate authority of an emulator. It signs the
// certificate of the S3 store, so that applications can be tried with TLS and with
// a certificate that they must be told to trust, as on a real cluster. It also
// signs those of the API server and of the API server's clients.
//
// It can sign for this machine only, and for the hosts that New is told: a client that
// trusts it, even a whole browser, trusts it for localhost, loopback addresses and those
// hosts, and nothing else.
package certs
