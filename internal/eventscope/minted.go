package eventscope

import (
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Minted is the ID that a driver has chosen for a name: of a bucket, or of an account.
type Minted struct {
	Name                string
	BucketID, AccountID string
}

// MintedIn returns the ID in a driver's answer, or false if the event is no such answer.
func MintedIn(e journal.Event) (Minted, bool) {
	if e.Seam != journal.SeamRPC || e.Failed() {
		return Minted{}, false
	}
	var asked struct {
		Name        string `json:"name"`
		AccountName string `json:"accountName"`
	}
	var got struct {
		BucketID  string `json:"bucketId"`
		AccountID string `json:"accountId"`
	}
	if json.Unmarshal(e.Request, &asked) != nil || json.Unmarshal(e.Response, &got) != nil {
		return Minted{}, false
	}
	minted := Minted{Name: asked.Name + asked.AccountName, BucketID: got.BucketID, AccountID: got.AccountID}
	return minted, minted.Name != "" && minted.BucketID+minted.AccountID != ""
}
