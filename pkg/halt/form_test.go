package halt_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/halt"
)

// TestStoredForm: what other versions read and write.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(halt.Marker{
		Code: halt.Unjournaled, Reason: "r", By: "api-1", At: at, Stream: at, Known: 9, Ends: 7, Lane: new(uint16(2)), Choice: "c",
		Loss: &halt.Loss{Ends: 7, Stored: at}, Forgotten: "f", Resumed: at,
	})
	require.NoError(t, err)
	require.Equal(t, `{"code":"unjournaled","reason":"r","by":"api-1","at":"2027-01-02T03:04:05Z","stream":"2027-01-02T03:04:05Z","known":9,"ends":7,"lane":2,"choice":"c","loss":{"ends":7,"stored":"2027-01-02T03:04:05Z"},"forgotten":"f","resumed":"2027-01-02T03:04:05Z"}`, string(data))
}
