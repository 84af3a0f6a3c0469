package keyring

import (
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const maxGrantedKeys = 1024

// Granted implements backend.Keys.
func (r *Ring) Granted(since time.Time) []backend.GrantedKey {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.granted), func(k backend.GrantedKey) bool { return k.At.Before(since) })
}

// NotTried implements backend.Keys.
func (r *Ring) NotTried() []*backend.KeyNotTriedError {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.notTried)
}

// AddGranted adds the key in the response of an external driver to a sidecar, if there is one.
func (r *Ring) AddGranted(sidecar, account string, response proto.Message) {
	key, ok := grantedKeyOf(response)
	if !ok {
		return
	}
	key.Component, key.Account, key.At = sidecar, account, time.Now()
	r.addGranted(key)
}

// The protocols of keys.
const (
	protocolS3    = "S3"
	protocolAzure = "Azure"
	protocolGCS   = "GCS"
)

// grantedKeyOf returns the key of a response of either version of the protocol.
func grantedKeyOf(response proto.Message) (backend.GrantedKey, bool) {
	switch grant := response.(type) {
	case *cosiv1alpha1.DriverGrantBucketAccessResponse:
		return grantedKeyV1alpha1(grant), len(grant.GetCredentials()) > 0
	case *cosiv1alpha2.DriverGrantBucketAccessResponse:
		return grantedKeyV1alpha2(grant), grant.GetCredentials() != nil
	default:
		return backend.GrantedKey{}, false
	}
}

func grantedKeyV1alpha2(grant *cosiv1alpha2.DriverGrantBucketAccessResponse) backend.GrantedKey {
	key := backend.GrantedKey{Buckets: map[string]string{}}
	switch credentials := grant.GetCredentials(); {
	case credentials.GetS3() != nil:
		key.Protocol = protocolS3
		key.AccessKeyID, key.Secret = credentials.GetS3().GetAccessKeyId(), credentials.GetS3().GetAccessSecretKey()
	case credentials.GetAzure() != nil:
		key.Protocol = protocolAzure
	case credentials.GetGcs() != nil:
		key.Protocol = protocolGCS
	}
	for _, b := range grant.GetBuckets() {
		if info := b.GetBucketInfo().GetS3(); info != nil {
			key.Buckets[b.GetBucketId()] = info.GetBucketId()
			key.Endpoint, key.Region = info.GetEndpoint(), info.GetRegion()
			key.VirtualHosts = info.GetAddressingStyle().GetStyle() == cosiv1alpha2.S3AddressingStyle_VIRTUAL
		}
	}
	return key
}

// grantedKeyV1alpha1 has no buckets: in v1alpha1 the driver does not return their names for
// clients.
func grantedKeyV1alpha1(grant *cosiv1alpha1.DriverGrantBucketAccessResponse) backend.GrantedKey {
	key := backend.GrantedKey{Protocol: protocolAzure, Buckets: map[string]string{}}
	if details, ok := grant.GetCredentials()[cosiv1alpha1.CredentialsS3]; ok {
		values := details.GetSecrets()
		key.Protocol, key.Endpoint, key.Region = protocolS3, values[cosiv1alpha1.S3Endpoint], values[cosiv1alpha1.S3Region]
		key.AccessKeyID, key.Secret = values[cosiv1alpha1.S3AccessKeyID], values[cosiv1alpha1.S3AccessSecretKey]
	}
	return key
}

func (r *Ring) addGranted(key backend.GrantedKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A repeated call returns the same key.
	r.granted = slices.DeleteFunc(r.granted, func(k backend.GrantedKey) bool {
		return k.Component == key.Component && k.Account == key.Account && k.Protocol == key.Protocol && k.Secret == key.Secret
	})
	if len(r.granted) == maxGrantedKeys {
		r.granted = slices.Delete(r.granted, 0, maxGrantedKeys/2)
	}
	r.granted = append(r.granted, key)
}

// note records that a key was not tried, once for each service, and returns the first reason.
func (r *Ring) note(service string, reason error) *backend.KeyNotTriedError {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found := r.notTriedAt(service); found != nil {
		return found
	}
	note := &backend.KeyNotTriedError{Service: service, Reason: reason.Error()}
	r.notTried = append(r.notTried, note)
	return note
}

// skipped returns the reason for which keys at a service are no longer tried, or nil.
func (r *Ring) skipped(service string) *backend.KeyNotTriedError {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notTriedAt(service)
}

func (r *Ring) notTriedAt(service string) *backend.KeyNotTriedError {
	for _, n := range r.notTried {
		if n.Service == service {
			return n
		}
	}
	return nil
}

// Reasons why a key is not tried.
var (
	errNoEndpoint = errors.New("the driver names no http or https endpoint")
	errProtocol   = errors.New("only keys of S3 are tried at external services")
	errAnonymous  = errors.New("the service answers requests without a key, so the answer to a key proves nothing")
	errTooLong    = errors.New("the trials took too long")
)
