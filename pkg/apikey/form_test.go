package apikey_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestStoredForm: what other versions read and write.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(apikey.Key{ID: "abcdefghijkl", Name: "acme", Hash: "00ff", Created: at, Revoked: &at, Terms: apikey.Terms{
		Rate: 1, LookUps: 2, Gas: 3, Ether: 4, Creates: 5, Words: 6, Wallets: 7, Rights: []string{"update"}, Projects: []score.ProjectID{{1}}, Whole: true, Expires: &at,
	}})
	require.NoError(t, err)
	require.Equal(t, `{"id":"abcdefghijkl","name":"acme","hash":"00ff","rate":1,"lookUps":2,"gasPerDay":3,"gweiPerDay":4,"createGasPerDay":5,"wordsPerDay":6,"walletsPerDay":7,"rights":["update"],"projects":["0x0100000000000000000000000000000000000000000000000000000000000000"],"wholeSignatures":true,"expires":"2027-01-02T03:04:05Z","created":"2027-01-02T03:04:05Z","revoked":"2027-01-02T03:04:05Z"}`, string(data))
}
