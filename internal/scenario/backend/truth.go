package backend

import (
	"context"
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// backendState is the state of the backend as JSON, by names and IDs.
type backendState struct{ buckets, accounts, policies map[string]any }

func (s *Store) backendState(ctx context.Context) (backendState, error) {
	found := backendState{map[string]any{}, map[string]any{}, map[string]any{}}
	store := s.Store
	buckets, err := store.Buckets(ctx)
	if err != nil {
		return found, err
	}
	for _, b := range buckets {
		if found.buckets[b.Name], err = asJSON(b); err != nil {
			return found, err
		}
	}
	accounts, err := store.Accounts(ctx)
	if err != nil {
		return found, err
	}
	for _, a := range accounts {
		if found.accounts[a.ID], err = asJSON(a); err != nil {
			return found, err
		}
	}
	found.policies, err = policiesOf(accounts)
	return found, err
}

// policiesOf turns the grants of accounts into policies by bucket.
func policiesOf(accounts []fakedriver.Account) (map[string]any, error) {
	policies := map[string]any{}
	for _, a := range accounts {
		for _, grant := range a.Grants {
			modes, err := asJSON(grant)
			if err != nil {
				return nil, err
			}
			delete(modes.(map[string]any), "bucket") //nolint:forcetypeassert // a struct is an object
			if policies[grant.Bucket] == nil {
				policies[grant.Bucket] = map[string]any{}
			}
			policies[grant.Bucket].(map[string]any)[a.ID] = modes //nolint:forcetypeassert // the line above
		}
	}
	return policies, nil
}

func asJSON(value any) (any, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var decoded any
	err = json.Unmarshal(body, &decoded)
	return decoded, err
}
