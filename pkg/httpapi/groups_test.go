package httpapi_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// groups posts several groups in one request and returns what became of each.
func (b *bench) groups(groups ...object) []object {
	b.t.Helper()
	r := b.post("/update-groups", object{"groups": groups}).ok()
	var answers []object
	for _, g := range r.body["groups"].([]any) {
		answers = append(answers, g.(object))
	}
	require.Len(b.t, answers, len(groups))
	return answers
}

// became is the answer about a group that was not refused.
func became(status string, accepted int, duplicates ...string) object {
	ids := []any{}
	for _, name := range duplicates {
		ids = append(ids, updateID(name).String())
	}
	return object{"status": status, "accepted": float64(accepted), "duplicates": ids}
}

// refusedAs requires that a group was refused with the code, and returns the problem.
func refusedAs(t *testing.T, code string, answer object) object {
	t.Helper()
	require.Equal(t, "refused", answer["status"], answer)
	require.EqualValues(t, 0, answer["accepted"])
	problem := answer["problem"].(object)
	require.Equal(t, code, problem["code"], problem)
	return problem
}

// TestEachOfSeveralGroupsStandsOrFallsByItself, and its answer says what became of it, in the order they were sent.
func TestEachOfSeveralGroupsStandsOrFallsByItself(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Equal(t, []object{became("accepted", 2)}, b.groups(b.free("known", "too")))
	b.owner = devnet.Key(5)
	foreign := b.free("foreign")
	b.owner = devnet.Key(1)
	answers := b.groups(
		b.free("one", "two"), set(b.free("three"), "kind", 9), b.free("four", "known"), foreign, b.free("known", "too"),
		set(b.free("five"), "projectId", score.ProjectID{9}), set(b.free("six"), "signature", "0x1234"),
		b.group(score.KindWord, b.inWord("word", 256)),
	)
	require.Equal(t, became("accepted", 2), answers[0])
	wrong := refusedAs(t, "invalid_body", answers[1])
	require.Equal(t, "/groups/1/kind", wrong["errors"].([]any)[0].(object)["pointer"])
	require.NotContains(t, answers[1], "retryAfter")
	require.Equal(t, became("accepted", 1, "known"), answers[2])
	refusedAs(t, "signer_not_member", answers[3])
	require.Equal(t, became("duplicate", 0, "known", "too"), answers[4])
	wrong = refusedAs(t, "unknown_project", answers[5])
	require.Equal(t, "/groups/5/projectId", wrong["errors"].([]any)[0].(object)["pointer"])
	refusedAs(t, "bad_signature", answers[6])
	require.Equal(t, became("accepted", 256), answers[7])

	stored, groups := map[score.UpdateID]int{}, 0
	for _, e := range b.envelopes() {
		groups += len(e.Signed)
		for _, u := range e.Updates {
			stored[u.ID]++
		}
	}
	require.Equal(t, 4, groups)
	require.Len(t, stored, 2+2+1+256, "known is in the group that has it, and in that which repeats it")
	for _, name := range []string{"one", "two", "four"} {
		require.Equal(t, 1, stored[updateID(name)])
		require.Equal(t, "accepted", b.stageOf(name))
	}
	for _, name := range []string{"three", "five", "six", "foreign"} {
		require.Zero(t, stored[updateID(name)])
	}
}

// TestTheSameGroupTwiceInARequest is accepted once.
func TestTheSameGroupTwiceInARequest(t *testing.T) {
	b := newBench(t, nil).withProject()
	group := b.free("one", "two")
	accepted, duplicates := 0, 0
	for _, answer := range b.groups(group, group, group) {
		accepted += int(answer["accepted"].(float64))
		duplicates += len(answer["duplicates"].([]any))
	}
	require.Equal(t, 2, accepted)
	require.Equal(t, 4, duplicates)
	require.Len(t, b.stored(), 1)
}

// TestGroupsThatAreNotStoredMayBeSentAgain under their ids.
func TestGroupsThatAreNotStoredMayBeSentAgain(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.publisher.refuse(score.ErrFull)
	one, two := b.free("one"), b.free("two", "three")
	for _, answer := range b.groups(one, two) {
		refusedAs(t, "stream_full", answer)
		require.Positive(t, answer["retryAfter"])
	}
	b.publisher.refuse(nil)
	require.Equal(t, []object{became("accepted", 1), became("accepted", 2)}, b.groups(one, two))
}

// TestWhatIsWrongWithTheWholeRequest refuses it as a whole.
func TestWhatIsWrongWithTheWholeRequest(t *testing.T) {
	b := newBench(t, nil).withProject()
	for body, want := range map[string]string{
		`{}`: "invalid_body", `{"groups":[]}`: "invalid_body", `{"groups":null}`: "invalid_body", `{"groups":[{"extra":1}]}`: "invalid_body",
		`{"groups":[{"kind":"1"}]}`: "invalid_body", `{"groups":[}`: "malformed_json", `[]`: "malformed_json",
	} {
		require.Equal(t, want, b.post("/update-groups", []byte(body)).code(), body)
	}
	r := b.post("/update-groups", []byte(`{"groups":[{},{"kind":"1"}]}`))
	require.Equal(t, "/groups/1/kind", r.field()["pointer"])
	groups := make([]object, 40)
	for i := range groups {
		groups[i] = b.group(score.KindWord, b.inWord(string(rune('A'+i)), 256))
	}
	require.Equal(t, "body_too_large", b.post("/update-groups", object{"groups": groups}).code())
	require.Empty(t, b.stored())
}

// TestEachOfSeveralGroupsCountsForTheRate: those beyond it are refused, the others are not.
func TestEachOfSeveralGroupsCountsForTheRate(t *testing.T) {
	b := newBench(t, nil).withProject().withTerms(apikey.Terms{Rate: 1})
	limited, accepted := 0, 0
	for _, answer := range b.groups(b.group(score.KindWord, b.inWord("A", 256)), b.group(score.KindWord, b.inWord("B", 256))) {
		if answer["status"] == "refused" {
			refusedAs(t, "rate_limited", answer)
			require.Positive(t, answer["retryAfter"])
			limited++
			continue
		}
		accepted += int(answer["accepted"].(float64))
	}
	require.Equal(t, 1, limited)
	require.Equal(t, 256, accepted)
}

// TestManyRequestsOfManyGroups: all that is accepted is stored, once.
func TestManyRequestsOfManyGroups(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config = httpapi.Config{ChainID: devnet.ChainID, Contract: shared.contract, MaxBody: 1 << 20}
	}).withProject()
	const requests, each = 4, 40
	bodies := make([][]object, requests)
	for n := range bodies {
		for i := range each {
			bodies[n] = append(bodies[n], b.free(string(rune('A'+n))+string(rune('a'+i)), "shared "+string(rune('a'+i))))
		}
	}
	var all sync.WaitGroup
	for _, groups := range bodies {
		all.Go(func() {
			for _, answer := range b.groups(groups...) {
				require.Equal(t, "accepted", answer["status"])
			}
		})
	}
	all.Wait()
	stored := map[score.UpdateID]bool{}
	for _, u := range slices.Concat(b.stored()...) {
		stored[u.ID] = true
	}
	require.Len(t, stored, requests*each+each)
}

// TestTooManyGroupsAreRefusedAsAWhole: the answer to a body does not grow with it.
func TestTooManyGroupsAreRefusedAsAWhole(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Len(t, b.groups(make([]object, 64)...), 64)
	r := b.post("/update-groups", object{"groups": make([]object, 65)})
	require.Equal(t, "invalid_body", r.code())
	require.Equal(t, "/groups", r.field()["pointer"])
	r = b.post("/update-groups", []byte(`{"groups":[{}`+strings.Repeat(",{}", 256<<10/3-8)+`]}`))
	require.Equal(t, "invalid_body", r.code())
	require.Less(t, len(r.raw), 1000)
	require.Equal(t, []object{became("accepted", 1)}, b.groups(b.free("one")))
}

// TestGroupsOfAllRequestsShareThePlacesOfPosts: no more are in progress than posts may be, however many came in a request, and an
// envelope has none but those.
func TestGroupsOfAllRequestsShareThePlacesOfPosts(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.MaxWrites = 2 }).withProject()
	var all sync.WaitGroup
	for _, name := range []string{"A", "B"} {
		var groups []object
		for i := range 20 {
			groups = append(groups, b.free(name+string(rune('a'+i))))
		}
		all.Go(func() {
			for _, answer := range b.groups(groups...) {
				require.Equal(t, became("accepted", 1), answer)
			}
		})
	}
	all.Wait()
	stored := 0
	for _, e := range b.envelopes() {
		require.LessOrEqual(t, len(e.Signed), 2)
		stored += len(e.Updates)
	}
	require.Equal(t, 40, stored)
}
