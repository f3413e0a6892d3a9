package status_test

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestLawsHoldInAnyOrderOfReports draws calls in any order, also such as only crashes, zombies and restores
// produce, and checks after each one what must never happen. Blocks never fall, as in a ledger.
func TestLawsHoldInAnyOrderOfReports(t *testing.T) {
	t.Parallel()
	client, err := redisdb.Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client.Timeout = time.Minute
	t.Cleanup(func() { _ = client.Close() })
	rapid.Check(t, func(t *rapid.T) {
		store := status.New(client, status.Config{Prefix: rand.Text() + ":", Retention: time.Minute})
		ctx := context.Background()
		refs := []score.Ref{{Update: score.UpdateID{1}}}
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		look := func() score.Status {
			st, _, err := store.Read(ctx, refs)
			check(err)
			return st[0]
		}
		fold := func(f score.Fact) { check(store.Fold(ctx, []string{""}, "", []score.Fact{f})) }
		used := func(st score.Status) bool { return st.Stage == score.Final && !st.Outcome.Rejected() }
		nonce := rapid.Uint64Range(1, 3)
		token := rapid.SampledFrom([]string{"a", "b"})
		last := score.Status{}
		holder := "" // of the claim, while nothing else has been written
		var facts []score.Fact
		block, made := uint64(1), byte(0)
		holds := func(t *rapid.T) { // the holder's claim
			if holder == "" {
				return
			}
			answers, err := store.Claim(ctx, refs, holder) // the same token may claim again, as long as it has the claim
			check(err)
			if answers[0] != score.ClaimWon {
				t.Fatalf("%s lost its claim: %s", holder, answers)
			}
		}
		steps := map[string]func(*rapid.T){
			"claim": func(t *rapid.T) {
				before, who := look(), token.Draw(t, "token")
				answers, err := store.Claim(ctx, refs, who)
				check(err)
				answer := answers[0]
				free := before.Stage == 0 || before.Stage == score.Final && before.Outcome.Rejected()
				switch {
				case holder == who && answer != score.ClaimWon, holder != "" && holder != who && answer != score.ClaimBusy:
					t.Fatalf("%s claims while %s holds it: %s", who, holder, answer)
				case holder == "" && free != (answer == score.ClaimWon), holder == "" && !free && answer != score.ClaimDuplicate:
					t.Fatalf("a claim at %+v: %s", before, answer)
				}
				if answer == score.ClaimWon {
					holder = who
				}
				if look() != before {
					t.Fatalf("a claim changed the status from %+v to %+v", before, look())
				}
			},
			"release": func(t *rapid.T) {
				before, who := look(), token.Draw(t, "token")
				check(store.Release(ctx, refs, who))
				if holder == who {
					holder = ""
				}
				if look() != before {
					t.Fatalf("a release changed the status from %+v to %+v", before, look())
				}
			},
			"accepted": func(t *rapid.T) {
				before, who := look(), token.Draw(t, "token")
				check(store.Accepted(ctx, refs, []string{who}))
				if holder == "" || holder == who || before.Stage == 0 {
					holder = ""
					return
				}
				if holds(t); look() != before {
					t.Fatalf("%s was accepted and took the claim of %s over %+v", who, holder, before)
				}
			},
			"bound": func(t *rapid.T) {
				before := look()
				var txs []common.Hash
				for i := range facts {
					if rapid.Bool().Draw(t, "its own") {
						txs = append(txs, facts[i].Tx)
					}
				}
				check(store.Bound(ctx, 0, nonce.Draw(t, "nonce"), refs, 1<<30, txs))
				switch {
				case before.Stage == score.Final && slices.Contains(txs, before.Tx) && look() != before:
					t.Fatalf("%+v was said by one of the slot's transactions, and is %+v", before, look())
				case look().Stage < score.Final:
					holder = ""
				default:
					holds(t)
				}
			},
			"released": func(t *rapid.T) { check(store.Released(ctx, 0, nonce.Draw(t, "nonce"), refs)) },
			"slot": func(t *rapid.T) {
				stage := rapid.SampledFrom([]score.Stage{score.Submitted, score.Included}).Draw(t, "stage")
				check(store.Slot(ctx, 0, 1, nonce.Draw(t, "nonce"), stage, common.Hash{1}, 5))
			},
			"gone": func(t *rapid.T) {
				before, tx := look(), common.Hash{byte(rapid.IntRange(0, 5).Draw(t, "tx"))}
				if rapid.Bool().Draw(t, "told by a lane") {
					check(store.Reopened(ctx, 0, nonce.Draw(t, "nonce"), tx, refs))
				} else {
					fold(score.Fact{Refs: refs, Tx: tx, Gone: true})
				}
				if before.Tx == tx || slices.ContainsFunc(facts, func(f score.Fact) bool { return f.Tx == tx }) {
					facts = nil // an earlier rejection is beneath nothing any more
				}
				switch st := look(); {
				case before.Stage == score.Final && before.Tx == tx && holder == "":
					if st.Stage == score.Final {
						t.Fatalf("the chain lost %s, and the status is still %+v", tx, st)
					}
					last = score.Status{}
				case before.Stage == score.Final && before.Tx == tx: // a first claim now
					if holds(t); st.Stage != 0 {
						t.Fatalf("the chain lost %s, which was claimed since, and the status is %+v", tx, st)
					}
				case st != before:
					t.Fatalf("losing %s changed %+v to %+v", tx, before, st)
				}
			},
			"restore accepted": func(*rapid.T) { check(store.RestoreAccepted(ctx, refs)) },
			"again": func(t *rapid.T) {
				if len(facts) == 0 {
					return
				}
				before := look()
				fold(facts[rapid.IntRange(0, len(facts)-1).Draw(t, "fact")])
				if holds(t); look() != before {
					t.Fatalf("what was folded again changed %+v to %+v", before, look())
				}
			},
			"fact": func(t *rapid.T) {
				before, claimed := look(), holder != ""
				outcome, letter := score.Outcome(rapid.IntRange(0, int(score.BadSignature)).Draw(t, "outcome")), rapid.Bool().Draw(t, "letter")
				f := score.Fact{Refs: refs, Outcomes: []score.Outcome{outcome}, Letter: letter}
				block++ // what follows a rejection is of a later one
				if made++; made < 6 && !letter {
					f.Tx = common.Hash{made}
				} else {
					f.Outcomes[0], f.Letter = score.Unprocessable, true
				}
				f.Block, outcome = block, f.Outcomes[0]
				fold(f)
				st := look()
				if before.Stage == 0 && (claimed && outcome.Rejected() || !claimed && outcome != score.Applied && !f.Letter) {
					if holds(t); st.Stage != 0 {
						t.Fatalf("%s of what was never accepted was written: %+v", outcome, st)
					}
					return
				}
				if !used(before) {
					facts = append(facts, f)
				}
				switch {
				case !outcome.Rejected() && !used(st), outcome.Rejected() && !used(st) && (st.Stage != score.Final || st.Outcome != outcome):
					t.Fatalf("%s was told, the status is %+v", outcome, st)
				}
				holder = ""
			},
		}
		steps[""] = func(t *rapid.T) {
			st := look()
			if used(last) && (!used(st) || last.Outcome == score.Applied && st.Outcome != score.Applied) {
				t.Fatalf("%+v fell back to %+v", last, st)
			}
			last = st
		}
		t.Repeat(steps)
	})
}
