package httpapi

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// Parts of groups, in hex.
var (
	aWord   = strings.Repeat("5a", 31)
	aTarget = strings.Repeat("cc", 20)
	bTarget = strings.Repeat("dd", 20)
	noOne   = strings.Repeat("00", 20)
	anID    = strings.Repeat("11", 32)
	otherID = strings.Repeat("22", 32)
)

func validGroup() map[string]any {
	return map[string]any{
		"projectId": hash2, "kind": 3, "updates": "0x0001" + aTarget + "0101" + anID + "00" + otherID + "01",
		"signature": "0x" + strings.Repeat("11", 64) + "1b",
	}
}

func TestEveryFieldOfAGroup(t *testing.T) {
	t.Parallel()
	changes := []change{
		{"kind", 0, "/kind invalid"},
		{"kind", 4, "/kind invalid"},
		{"kind", 0x83, "/kind invalid"},
		{"kind", -1, "/kind invalid"},
		{"kind", 1 << 40, "/kind invalid"},
		{"kind", 1.5, "/kind wrong_type"},
		{"kind", "3", "/kind wrong_type"},
		{"projectId", "0x12", "/projectId invalid"},
		{"updates", "0x", "/updates invalid"},
		{"updates", "", "/updates invalid"},
		{"updates", "0xabc", "/updates invalid"},
		{"updates", "0xzz", "/updates invalid"},
		{"updates", strings.ToUpper(anID), "/updates invalid"},
		{"updates", "0x" + strings.Repeat("00", maxGroupBytes+1), "/updates invalid"},
		{"updates", 1, "/updates wrong_type"},
		{"signature", "0x", "/signature invalid"},
		{"signature", 7, "/signature wrong_type"},
		{"signature", "0x" + strings.Repeat("11", 64), ""},
		{"signature", "0x" + strings.Repeat("11", 66), "bad_signature"},
		{"signature", "0x" + strings.Repeat("11", 64) + "1d", "bad_signature"},
		{"signature", "0x" + strings.Repeat("11", 32) + "7f" + strings.Repeat("ff", 31) + "1b", "bad_signature"},
		{"message", "1700000000000", "/message unknown"},
		{"Kind", 3, "/Kind unknown"},
	}
	for _, field := range []string{"projectId", "kind", "updates", "signature"} {
		changes = append(changes, change{field, nil, "/" + field + " required"})
	}
	check(t, changes, validGroup, decodeGroup)
}

// TestABadGroupIsToldWhatIsWrong, at /updates, and of which update.
func TestABadGroupIsToldWhatIsWrong(t *testing.T) {
	t.Parallel()
	record := aTarget + "0001"
	for _, c := range []struct {
		name string
		kind int
		body string
		want []string // in the details
	}{
		{"a word", 1, aWord + "0001" + "05" + record + record, nil},
		{"the last bits of a word", 1, aWord + "1f01" + "80" + record, nil},
		{"no word", 1, "0001", []string{"mask of 0 bytes"}},
		{"no mask", 1, aWord + "0000", []string{"mask of 0 bytes"}},
		{"a mask beyond the word", 1, aWord + "1f02" + "0101" + record + record, []string{"mask of 2 bytes from 31"}},
		{"an empty mask", 1, aWord + "0001" + "00", []string{"empty mask"}},
		{"a record missing", 1, aWord + "0001" + "03" + record, []string{"read as kind 1, not the body of a group: cut short"}},
		{"a byte too many", 1, aWord + "0001" + "01" + record + "00", []string{"1 bytes too many"}},
		{"a mask that begins with nothing", 1, aWord + "0002" + "0001" + record, []string{"canonical form at byte 32: the first and the last byte of the mask"}},
		{"a mask that ends with nothing", 1, aWord + "0002" + "0100" + record, []string{"canonical form at byte 31"}},
		{"runs", 2, aWord + "0001" + aTarget + "0001" + "0700" + "0300", nil},
		{"no runs", 2, aWord + "0000", []string{"no runs"}},
		{"a run of nothing", 2, aWord + "0001" + aTarget + "0000", []string{"cut short"}},
		{"a run too few", 3, "0003" + aTarget + "0000" + anID + "00" + bTarget + "0000" + otherID + "00", []string{"cut short"}},
		{"a run cut short", 2, aWord + "0001" + aTarget + "0001" + "0700", []string{"cut short"}},
		{"runs that could be one", 2, aWord + "0002" + aTarget + "0000" + "0700" + aTarget + "0000" + "0800", []string{"canonical form at byte 32: neighbours of one target and score type"}},
		{"an id twice in a word", 2, aWord + "0001" + aTarget + "0002" + "0700" + "0800" + "0700", []string{"update 2 (0x" + aWord + "07)", "of update 0"}},
		{"an id twice", 3, "0002" + aTarget + "0000" + anID + "00" + bTarget + "0000" + anID + "00", []string{"update 1 (0x" + anID + ")"}},
		{"the zero address as the target", 3, "0002" + aTarget + "0000" + anID + "00" + noOne + "0000" + otherID + "00", []string{"update 1 (0x" + otherID + ")", "zero address"}},
		{"far too many", 2, aWord + "001a" + strings.Repeat(aTarget+"00ff"+strings.Repeat("0000", 256), 26), []string{"more than 256 updates"}},
		{"too many", 2, aWord + "0002" + aTarget + "00ff" + strings.Repeat("0000", 256) + aTarget + "0000" + "0000", []string{"more than 256 updates"}},
	} {
		group := validGroup()
		group["kind"], group["updates"] = c.kind, "0x"+c.body
		r, p := decodeGroup([]byte(text(t, group)))
		if c.want == nil {
			require.Nil(t, p, "%s: %v", c.name, p)
			require.NotEmpty(t, r.updates)
			continue
		}
		require.NotNil(t, p, c.name)
		require.Equal(t, "/updates invalid", complaint(p)[0], c.name)
		for _, want := range c.want {
			require.Contains(t, p.Errors[0].Detail, want, c.name)
		}
	}
}

func FuzzDecodeGroup(f *testing.F) {
	for _, c := range []struct {
		kind int
		body string
	}{
		{1, aWord + "0001" + "05" + aTarget + "0001" + aTarget + "0001"},
		{2, aWord + "0001" + aTarget + "0001" + "0700" + "0300"},
		{3, "0001" + aTarget + "0000" + anID + "00"},
	} {
		raw, _ := hex.DecodeString(c.body)
		f.Add(c.kind, raw, []byte{})
	}
	seed, _ := json.Marshal(validGroup())
	f.Add(0, []byte{}, seed)
	f.Fuzz(func(t *testing.T, kind int, updates, body []byte) {
		if len(body) == 0 {
			group := validGroup()
			group["kind"], group["updates"] = kind, "0x"+hex.EncodeToString(updates)
			body = []byte(text(t, group))
		}
		r, p := decodeGroup(body)
		checkDecoded(t, r == nil, p)
		if r == nil {
			return
		}
		again, err := batch.EncodeBody(r.kind, r.updates)
		if err != nil || string(again) != string(r.body) || len(r.updates) > score.MaxSigned {
			t.Fatalf("accepted %x, which is written as %x (%v)", r.body, again, err)
		}
		seen := map[score.UpdateID]bool{}
		for _, u := range r.updates {
			if seen[u.ID] || u.Target == (common.Address{}) || u.Project != r.project {
				t.Fatalf("accepted %+v", u)
			}
			seen[u.ID] = true
		}
	})
}
