package emulator

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const maxGrantedKeys = 1024

// GrantedKey is a key that an external driver has returned for an access.
type GrantedKey = backend.GrantedKey

// GrantedKeys returns the keys that external drivers have returned since a time, as far as they are
// remembered. IssuedKeys has the keys of fake drivers. The keys are in memory, and must not be
// written to a file.
func (e *Emulator) GrantedKeys(since time.Time) []GrantedKey {
	e.grantedKeys.mu.Lock()
	defer e.grantedKeys.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.grantedKeys.keys), func(k GrantedKey) bool { return k.At.Before(since) })
}

// learnGranted remembers the key in a driver's response to a sidecar.
func (e *Emulator) learnGranted(component, account string, response proto.Message) {
	key, ok := grantedKeyOf(response)
	suffix := strings.TrimSuffix(strings.TrimPrefix(component, ComponentSidecar), vocabulary.ReplicaSuffix)
	fake := e.Component(ComponentDriver+suffix) != nil && e.store != nil
	if !ok || !IsSidecar(component) || fake {
		return
	}
	key.Component, key.Account, key.At = component, account, time.Now()
	e.grantedKeys.add(key)
}

// KeyNotTriedError is the reason for which a key of an external driver was not tried at its
// service.
type KeyNotTriedError = backend.KeyNotTriedError

// KeysNotTried returns one reason for each service at which no more keys are tried.
func (e *Emulator) KeysNotTried() []*KeyNotTriedError {
	e.grantedKeys.mu.Lock()
	defer e.grantedKeys.mu.Unlock()
	return slices.Clone(e.grantedKeys.notTried)
}

type grantedKeys struct {
	mu       sync.Mutex
	keys     []GrantedKey // oldest first
	notTried []*KeyNotTriedError
}

// The protocols of keys.
const (
	protocolS3    = "S3"
	protocolAzure = "Azure"
	protocolGCS   = "GCS"
)

// grantedKeyOf returns the key of a response of either version of the protocol.
func grantedKeyOf(response proto.Message) (GrantedKey, bool) {
	switch grant := response.(type) {
	case *cosiv1alpha1.DriverGrantBucketAccessResponse:
		return grantedKeyV1alpha1(grant), len(grant.GetCredentials()) > 0
	case *cosiv1alpha2.DriverGrantBucketAccessResponse:
		return grantedKeyV1alpha2(grant), grant.GetCredentials() != nil
	default:
		return GrantedKey{}, false
	}
}

func grantedKeyV1alpha2(grant *cosiv1alpha2.DriverGrantBucketAccessResponse) GrantedKey {
	key := GrantedKey{Buckets: map[string]string{}}
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
func grantedKeyV1alpha1(grant *cosiv1alpha1.DriverGrantBucketAccessResponse) GrantedKey {
	key := GrantedKey{Protocol: protocolAzure, Buckets: map[string]string{}}
	if details, ok := grant.GetCredentials()[cosiv1alpha1.CredentialsS3]; ok {
		values := details.GetSecrets()
		key.Protocol, key.Endpoint, key.Region = protocolS3, values[cosiv1alpha1.S3Endpoint], values[cosiv1alpha1.S3Region]
		key.AccessKeyID, key.Secret = values[cosiv1alpha1.S3AccessKeyID], values[cosiv1alpha1.S3AccessSecretKey]
	}
	return key
}

func (g *grantedKeys) add(key GrantedKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	// A repeated call returns the same key.
	g.keys = slices.DeleteFunc(g.keys, func(k GrantedKey) bool {
		return k.Component == key.Component && k.Account == key.Account && k.Protocol == key.Protocol && k.Secret == key.Secret
	})
	if len(g.keys) == maxGrantedKeys {
		g.keys = slices.Delete(g.keys, 0, maxGrantedKeys/2)
	}
	g.keys = append(g.keys, key)
}

// note records that a key was not tried, once for each service, and returns the first reason.
func (g *grantedKeys) note(service string, reason error) *KeyNotTriedError {
	g.mu.Lock()
	defer g.mu.Unlock()
	if found := g.notTriedAt(service); found != nil {
		return found
	}
	note := &KeyNotTriedError{Service: service, Reason: reason.Error()}
	g.notTried = append(g.notTried, note)
	return note
}

// skipped returns the reason for which keys at a service are no longer tried, or nil.
func (g *grantedKeys) skipped(service string) *KeyNotTriedError {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.notTriedAt(service)
}

func (g *grantedKeys) notTriedAt(service string) *KeyNotTriedError {
	for _, n := range g.notTried {
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
