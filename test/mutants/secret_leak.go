package mutants

import (
	"encoding/json"
	"net/http"

	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// learn remembers the secret key of a response.
func (m *mutator) learn(reply any) {
	message, ok := reply.(proto.Message)
	if !ok || !m.leaksSecret {
		return
	}
	if granted, ok := message.(*cosiv1alpha2.DriverGrantBucketAccessResponse); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.secret = granted.GetCredentials().GetS3().GetAccessSecretKey()
	}
}

// leakSecret adds the secret key to the next status of a BucketAccess.
func (m *mutator) leakSecret(operation string, r *http.Request, body []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.secret == "" || operation != "patch bucketaccesses/status" {
		return body
	}
	var patch struct {
		Metadata map[string]any `json:"metadata,omitempty"`
		Status   struct {
			Conditions []map[string]any `json:"conditions,omitempty"`
		} `json:"status"`
	}
	var whole map[string]any
	if json.Unmarshal(body, &patch) != nil || json.Unmarshal(body, &whole) != nil || len(patch.Status.Conditions) == 0 {
		return body
	}
	status, ok := whole["status"].(map[string]any)
	if !ok {
		return body
	}
	patch.Status.Conditions[0]["message"] = "granted, the key is " + m.secret
	status["conditions"] = patch.Status.Conditions
	changed, err := json.Marshal(whole)
	if err != nil {
		return body
	}
	withBody(r, changed)
	return changed
}
