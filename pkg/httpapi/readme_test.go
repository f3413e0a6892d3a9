package httpapi_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

var update = flag.Bool("update", false, "write the README's tables anew")

const readmeFile = "../../README.md"

// What the README says of each stage and outcome.
var (
	stageMeanings = map[score.Stage]string{
		score.Accepted:  "Durable in the stream.",
		score.Batched:   "Bound to a slot of its lane; the transaction is journaled.",
		score.Submitted: "The transaction was handed to a node. `transactionHash` may still change: a bump is another transaction.",
		score.Included:  "In a block, which may still be reorganised away; then it is submitted again.",
		score.Final:     "Beyond the finality rule, with its `outcome`. Nothing changes any more, unless a rejected update is sent again or the chain loses a final block.",
	}
	outcomeMeanings = map[score.Outcome]string{
		score.Applied:          "The score changed.",
		score.Duplicate:        "The updateId was used before; the score did not change.",
		score.UnknownProject:   "Rejected: the contract has no such project.",
		score.NotMember:        "Rejected: the signer was neither owner nor updater when the update was executed.",
		score.UnknownAction:    "Rejected: the contract has no such action.",
		score.UnknownScoreType: "Rejected: the contract has no such score type.",
		score.ProjectExists:    "Rejected, of a creation: the projectId was taken.",
		score.Unprocessable:    "Rejected: the contract reverts on it even when it is alone.",

		score.SignatureRequired: "Rejected: the project takes signed groups only, and the update came without.",
		score.BadSignature:      "Rejected: the group's signature was not its signer's. (The error code of this name: something cannot be a signature at all.)",
	}
)

func statusTable() string {
	var b strings.Builder
	b.WriteString("| status | meaning |\n|---|---|\n")
	for stage := score.Accepted; stage <= score.Final; stage++ {
		fmt.Fprintf(&b, "| `%s` | %s |\n", stage, stageMeanings[stage])
	}
	b.WriteString("\nFrom `batched` to `included` it may also fall back to `accepted`: its slot was lost to another transaction, and it waits for the next.\n")
	b.WriteString("\n| outcome | meaning |\n|---|---|\n")
	for outcome := score.Applied; outcome <= score.BadSignature; outcome++ {
		fmt.Fprintf(&b, "| `%s` | %s |\n", outcome, outcomeMeanings[outcome])
	}
	b.WriteString("\nA rejected update did not apply as things stood. Its updateId is unused: it may be sent again when the reason is gone.\n")
	return b.String()
}

func codeTable() string {
	var b strings.Builder
	b.WriteString("| status | code | meaning | what to do |\n|---|---|---|---|\n")
	for _, code := range httpapi.Codes() {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", code.Status, code.Name, code.Title, code.Advice)
	}
	b.WriteString("\n| code of a field | meaning |\n|---|---|\n")
	for _, code := range httpapi.FieldCodes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", code.Name, code.Meaning)
	}
	return b.String()
}

// TestREADME: the tables of statuses and codes are those of the code. With -update it writes them.
func TestREADME(t *testing.T) {
	raw, err := os.ReadFile(readmeFile)
	require.NoError(t, err)
	text := string(raw)
	for name, table := range map[string]string{"statuses": statusTable(), "codes": codeTable()} {
		begin := strings.Index(text, "<!-- begin "+name)
		end := strings.Index(text, "<!-- end "+name+" -->")
		require.True(t, begin >= 0 && begin < end, "the README has no place for the table of %s", name)
		begin += strings.Index(text[begin:], "-->\n") + len("-->\n")
		text = text[:begin] + table + text[end:]
	}
	if *update {
		require.NoError(t, os.WriteFile(readmeFile, []byte(text), 0o644))
		return
	}
	require.Equal(t, text, string(raw), "run `go test ./pkg/httpapi -run TestREADME -update`")
}

// TestStagesAndOutcomesAreComplete: the tables would notice a new stage or outcome.
func TestStagesAndOutcomesAreComplete(t *testing.T) {
	t.Parallel()
	for stage := range stageMeanings {
		require.NotContains(t, stage.String(), "stage_")
	}
	require.Equal(t, "stage_6", (score.Final + 1).String(), "a stage the README does not know")
	require.Len(t, stageMeanings, int(score.Final))
	require.Equal(t, "outcome_10", (score.BadSignature + 1).String(), "an outcome the README does not know")
	require.Len(t, outcomeMeanings, int(score.BadSignature)+1)
	for _, code := range httpapi.Codes() {
		require.NotEmpty(t, http.StatusText(code.Status), code.Name)
	}
}
