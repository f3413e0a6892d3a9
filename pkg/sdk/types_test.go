package sdk_test

import (
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// TestTheExampleImportsOnlyTheSDK, so that it shows what a backend needs.
func TestTheExampleImportsOnlyTheSDK(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "example_test.go", nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		require.True(t, name == "github.com/scorelay/scorelay/pkg/sdk" || !strings.Contains(name, "."), name)
	}
}

func TestParsing(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("5a", 32)
	for _, text := range []string{digits, "0x" + digits} {
		key, err := sdk.ParseKey(text)
		require.NoError(t, err)
		require.NotZero(t, sdk.AddressOf(key))
	}
	for _, text := range []string{"", "0x", digits[2:], digits + "00", "0x" + strings.Repeat("zz", 32), strings.Repeat("00", 32), strings.Repeat("ff", 32)} {
		_, err := sdk.ParseKey(text)
		require.ErrorContains(t, err, "a private key is 64 hexadecimal digits", text)
		if len(text) > 2 {
			require.NotContains(t, err.Error(), text[2:], "it does not give the key away")
		}
	}
	id, err := sdk.ParseUpdateID("0x" + digits)
	require.NoError(t, err)
	require.Equal(t, "0x"+digits, id.String())
	_, err = sdk.ParseUpdateID("0x5a")
	require.Error(t, err)
	_, err = sdk.ParseAddress("0x70997970C51812dc3a010c7d01b50e0d17dc79c8")
	require.ErrorContains(t, err, "checksum")
}

// TestAKeySignerSignsATimeOnce, and what its callers do to the answer is their own affair.
func TestAKeySignerSignsATimeOnce(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	sign := sdk.KeySigner(key)
	first, err := sign(t.Context(), sdk.Hash{1})
	require.NoError(t, err)
	want := string(first)
	first[64] += 27
	again, err := sign(t.Context(), sdk.Hash{1})
	require.NoError(t, err)
	require.Equal(t, want, string(again))
	again[0]++
	third, err := sign(t.Context(), sdk.Hash{1})
	require.NoError(t, err)
	require.Equal(t, want, string(third))
	other, err := sign(t.Context(), sdk.Hash{2})
	require.NoError(t, err)
	require.NotEqual(t, want, string(other))
}

// TestAnswersThatMakeNoSense promise nothing, and asking again at once does not help.
func TestAnswersThatMakeNoSense(t *testing.T) {
	t.Parallel()
	u := sdk.NamedUpdate{UpdateID: score.UpdateID{1}, ProjectID: project}
	for _, body := range []string{`{}`, `{"status":"ok"}`, `{"status":null}`} {
		client, _, _ := answering(t, 200, nil, body)
		require.ErrorIs(t, sdk.Retry(t.Context(), func() error {
			_, err := client.UpdateScore(t.Context(), u, sdk.KeySigner(newKey(t)))
			return err
		}), sdk.ErrAnswer, body)
	}
	for _, body := range []string{`{}`, `{"status":"accepted"}`, `{"status":"duplicate","accepted":1}`, `{"status":"ok","accepted":1}`} {
		client, _, _ := answering(t, 200, nil, body)
		stored, duplicates, err := client.UpdateScores(t.Context(), &sdk.SignedGroup{ProjectID: project})
		require.ErrorIs(t, err, sdk.ErrAnswer, body)
		require.Zero(t, stored)
		require.Empty(t, duplicates)
	}
	client, _, _ := answering(t, 200, nil, `{"status":"accepted"}`)
	duplicate, err := client.UpdateScore(t.Context(), u, sdk.KeySigner(newKey(t)))
	require.NoError(t, err)
	require.False(t, duplicate)
}
