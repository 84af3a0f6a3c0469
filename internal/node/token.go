package node

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

// errNoToken tells the administrator what the CSIDriver lacks.
var errNoToken = errors.New("the kubelet has sent no ServiceAccount token: " +
	`set spec.tokenRequests of the CSIDriver to an audience of the API server, such as ""`)

// parseToken returns the token of the Pod's ServiceAccount for the API server. The kubelet sends the tokens by audience,
// as a secret or, without spec.serviceAccountTokenInSecrets of the CSIDriver, as an attribute.
func parseToken(req *csi.NodePublishVolumeRequest) (string, error) {
	text := req.GetSecrets()[attributeTokens]
	if text == "" {
		text = req.GetVolumeContext()[attributeTokens]
	}
	if text == "" {
		return "", errNoToken
	}
	var tokens map[string]struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(text), &tokens); err != nil {
		return "", fmt.Errorf("%s is no JSON object of tokens by audience", attributeTokens) // err may quote a token
	}
	found := tokens[""].Token
	if len(tokens) == 1 {
		for _, only := range tokens {
			found = only.Token
		}
	}
	if found == "" {
		return "", fmt.Errorf("%w; with several audiences, one of them must be \"\"", errNoToken)
	}
	return found, nil
}
