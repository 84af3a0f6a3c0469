package apiserver

import (
	"encoding/json"
	"net/http"

	"k8s.io/apiserver/pkg/server/mux"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/token"
)

// The paths at which programs find the keys of tokens.
const (
	discoveryPath = "/.well-known/openid-configuration"
	keysPath      = "/openid/v1/jwks"
)

// serveIssuer serves the keys of tokens.
func serveIssuer(to *mux.PathRecorderMux, issuer *token.Issuer) error {
	keys, err := issuer.Keys()
	if err != nil {
		return err
	}
	discovery, err := json.Marshal(map[string]any{
		"issuer":                                issuer.URL(),
		"jwks_uri":                              issuer.KeysURL(keysPath),
		"response_types_supported":              []string{"id_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{token.Algorithm},
	})
	if err != nil {
		return err
	}
	to.Handle(discoveryPath, document("application/json", discovery))
	to.Handle(keysPath, document("application/jwk-set+json", keys))
	return nil
}

func document(contentType string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "405 method not allowed", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(content) // the client may be gone
	})
}
