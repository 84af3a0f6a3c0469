package differential

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
)

// server is an API server with its answers.
type server struct {
	host string
	// clients are the administrator's, which has no name, and one for each of the credentials.
	clients map[string]*http.Client
	known   map[string]known
	// tokens are the latest tokens to continue a list with, by the path of the collection.
	tokens map[string]string
}

// known is a server's latest answer about an object.
type known struct {
	uid, version, first string

	object map[string]any
}

// response is an answer.
type response struct {
	Code     int
	Warnings []string
	Body     any
}

// requestTimeout is longer than a server waits for anything.
const requestTimeout = time.Minute

// credentials are ways to say who one is: not at all, and in ways that no server can believe.
var credentials = []string{anonymous, foreignToken, foreignCertificate}

const (
	anonymous          = "no credential"
	foreignToken       = "a foreign token"
	foreignCertificate = "a foreign certificate"
)

func newServer(cfg *rest.Config) (*server, error) {
	s := &server{host: cfg.Host, clients: map[string]*http.Client{}, known: map[string]known{}, tokens: map[string]string{}}
	configs := map[string]*rest.Config{"": cfg, anonymous: rest.AnonymousClientConfig(cfg), foreignToken: rest.AnonymousClientConfig(cfg)}
	configs[foreignToken].BearerToken = "foreign"
	var err error
	for credential, config := range configs {
		if s.clients[credential], err = rest.HTTPClientFor(config); err != nil {
			return nil, err
		}
	}
	s.clients[foreignCertificate], err = newStranger(configs[anonymous])
	return s, err
}

// newStranger returns a client that sends the certificate of an authority that the server does not
// trust, also if the server asks for others.
func newStranger(cfg *rest.Config) (*http.Client, error) {
	authority, err := certs.New()
	if err != nil {
		return nil, err
	}
	pair, err := authority.NewClient("stranger", "system:masters")
	if err != nil {
		return nil, err
	}
	config, err := rest.TLSConfigFor(cfg)
	if err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair.Certificate, nil }
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, nil
}

// clone returns a server with the same answers, which another goroutine may use.
func (s *server) clone() *server {
	return &server{host: s.host, clients: s.clients, known: maps.Clone(s.known), tokens: maps.Clone(s.tokens)}
}

func (s *server) send(ctx context.Context, r request) (*http.Response, error) {
	query := url.Values{}
	for key, values := range r.Query {
		for _, value := range values {
			query.Add(key, s.replace(r, value))
		}
	}
	target := s.host + r.Path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	out, err := http.NewRequestWithContext(ctx, r.Method, target, strings.NewReader(s.body(r)))
	if err != nil {
		return nil, err
	}
	if r.ContentType != "" {
		out.Header.Set("Content-Type", r.ContentType)
	}
	if r.Accept != "" {
		out.Header.Set("Accept", r.Accept)
	}
	if r.User != "" {
		out.Header.Set("Impersonate-User", r.User)
	}
	return s.clients[r.Credential].Do(out)
}

// do sends a request, and remembers the server's answer about its object.
func (s *server) do(ctx context.Context, r request) (response, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answer, err := s.send(ctx, r)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return response{}, err
	}
	result := response{Code: answer.StatusCode, Warnings: answer.Header.Values("Warning"), Body: string(text)}
	var object map[string]any
	if json.Unmarshal(text, &object) == nil {
		result.Body = object
		s.remember(r, answer.StatusCode, object)
	}
	return result, nil
}

func (s *server) remember(r request, code int, object map[string]any) {
	if code == http.StatusNotFound && r.Object != "" && r.Object == r.Path {
		delete(s.known, r.Object)
	}
	metadata, _ := object["metadata"].(map[string]any)
	if token, ok := metadata["continue"].(string); ok {
		s.tokens[r.Path] = token
	}
	uid, ok := metadata["uid"].(string)
	if !ok || code >= http.StatusMultipleChoices || r.Object == "" || r.Query.Has("dryRun") || object["spec"] == nil && r.Accept != "" {
		return
	}
	version, _ := metadata["resourceVersion"].(string)
	before := s.known[r.Object]
	if before.uid != uid {
		before = known{uid: uid, first: version}
	}
	before.version, before.object = version, object
	s.known[r.Object] = before
}

// body returns the body of a request as this server gets it.
func (s *server) body(r request) string {
	if !r.Current {
		return s.replace(r, r.Body)
	}
	object := clone(s.known[r.Object].object)
	for _, e := range r.Edits {
		object = e.apply(object)
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return s.replace(r, string(text))
}

func (s *server) replace(r request, text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	k := s.known[r.Object]
	return strings.NewReplacer(
		placeUID, k.uid, placeVersion, k.version, placeFirst, k.first, placeContinue, s.tokens[r.Path],
	).Replace(text)
}

// collectionVersion returns the version of a collection.
func (s *server) collectionVersion(ctx context.Context, path string) (string, error) {
	listed, err := s.do(ctx, request{Method: http.MethodGet, Path: path, Query: url.Values{"limit": {"1"}}})
	if err != nil {
		return "", err
	}
	object, _ := listed.Body.(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	version, ok := metadata["resourceVersion"].(string)
	if !ok {
		return "", fmt.Errorf("GET %s: no resourceVersion in %v", path, listed)
	}
	return version, nil
}

// watch returns the events from a version to the first one that the function accepts.
func (s *server) watch(ctx context.Context, path, version string, isLast func(map[string]any) bool) (events []any, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answer, err := s.send(ctx, request{Method: http.MethodGet, Path: path, Query: url.Values{"watch": {"1"}, "resourceVersion": {version}}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	for decoder := json.NewDecoder(answer.Body); ; {
		var event map[string]any
		if err := decoder.Decode(&event); err != nil {
			return events, fmt.Errorf("watch %s from %s: %w after %d events", path, version, err, len(events))
		}
		events = append(events, event)
		object, _ := event["object"].(map[string]any)
		if isLast(object) || event["type"] == "ERROR" {
			return events, nil
		}
	}
}

func clone(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // it was read from JSON
	}
	var copied any
	if err := json.Unmarshal(text, &copied); err != nil {
		panic(err)
	}
	return copied
}
