// Package protocol tests the answers of package answers as clients get them: with the SDK, or with
// signed requests, over HTTP.
package protocol
