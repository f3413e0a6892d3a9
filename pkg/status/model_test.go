package status_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestLawsHoldInAnyOrderOfReports draws calls in any order, also such as only crashes, zombies and restores
// produce, and checks after each one what must never happen.
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
		used := func(st score.Status) bool { return st.Stage == score.Final && !st.Outcome.Rejected() }
		nonce := rapid.Uint64Range(1, 3)
		token := rapid.SampledFrom([]string{"a", "b"})
		last := score.Status{}
		holder := "" // of the claim, while nothing else has been written
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
				answers, err := store.Claim(ctx, refs, holder) // the same token may claim again, as long as it has the claim
				check(err)
				if look() != before || answers[0] != score.ClaimWon {
					t.Fatalf("%s was accepted and took the claim of %s over %+v: %s", who, holder, before, answers[0])
				}
			},
			"bound":    func(t *rapid.T) { check(store.Bound(ctx, 0, nonce.Draw(t, "nonce"), refs)); holder = "" },
			"released": func(t *rapid.T) { check(store.Released(ctx, 0, nonce.Draw(t, "nonce"), refs)) },
			"slot": func(t *rapid.T) {
				stage := rapid.SampledFrom([]score.Stage{score.Submitted, score.Included}).Draw(t, "stage")
				check(store.Slot(ctx, 0, 1, nonce.Draw(t, "nonce"), stage, common.Hash{1}, 5))
			},
			"reopened": func(t *rapid.T) {
				before, tx := look(), common.Hash{byte(rapid.Uint64Range(1, 5).Draw(t, "block"))}
				check(store.Reopened(ctx, 0, nonce.Draw(t, "nonce"), tx, refs))
				switch st := look(); {
				case holder == "" && before.Stage == score.Final && before.Tx == tx:
					if st.Stage == score.Final {
						t.Fatalf("the chain lost %s, and the status is still %+v", tx, st)
					}
					last = score.Status{}
				case st != before:
					t.Fatalf("losing %s changed %+v to %+v", tx, before, st)
				}
			},
			"restore accepted": func(*rapid.T) { check(store.RestoreAccepted(ctx, refs)) },
		}
		final := func(event bool, write func(context.Context, common.Hash, uint64, []score.Ref, []score.Outcome) error) func(*rapid.T) {
			return func(t *rapid.T) {
				before, claimed := look(), holder != ""
				outcome := score.Outcome(rapid.IntRange(0, int(score.BadSignature)).Draw(t, "outcome"))
				block := rapid.Uint64Range(1, 5).Draw(t, "block")
				check(write(ctx, common.Hash{byte(block)}, block, refs, []score.Outcome{outcome}))
				if event && outcome != score.Applied && before.Stage == 0 && !claimed {
					if st := look(); st.Stage != 0 {
						t.Fatalf("an event told %s of an unknown id, the status is %+v", outcome, st)
					}
					return
				}
				if st := look(); !outcome.Rejected() && !used(st) {
					t.Fatalf("%s was told, the status is %+v", outcome, st)
				}
				if look().Stage == score.Final && !used(look()) && holder != "" { // a rejection over a claim takes it, but a restored one
					st, err := store.Claim(ctx, refs, holder)
					check(err)
					if st[0] != score.ClaimWon {
						t.Fatalf("the holder lost its claim and cannot claim again: %s", st)
					}
				}
				if used(look()) {
					holder = ""
				}
			}
		}
		steps["final"] = final(false, store.Final)
		steps["restore dead"] = final(false, func(ctx context.Context, tx common.Hash, _ uint64, refs []score.Ref, o []score.Outcome) error {
			return store.RestoreDead(ctx, tx, refs, o)
		})
		steps["restore final"] = final(true, store.RestoreFinal)
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
