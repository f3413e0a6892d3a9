package batch_test

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// named makes the updates of the package's example out of their names, "signer word/low wallet".
func named(lines ...string) (updates []score.Update) {
	for _, line := range lines {
		var signer, word, wallet byte
		var low int
		if _, err := fmt.Sscanf(line, "%c %c/%d %c", &signer, &word, &low, &wallet); err != nil {
			panic(err)
		}
		updates = append(updates, score.Update{
			Project: score.ProjectID{'P'}, Signer: common.Address{signer}, ID: score.UpdateID{word, 31: byte(low)}, Target: common.Address{wallet},
		})
	}
	return updates
}

// Example is the example of the package's documentation.
func Example() {
	builder, err := batch.NewBuilder(model, batch.DefaultLimits())
	if err != nil {
		panic(err)
	}
	updates := named(
		"A w/7 x", "A w/8 h", "A w/9 h", "A w/10 h", // from a stream of ids, three of them for one hot wallet
		"B w/11 y", "B r/91 z", "B s/4 z", // one of the same stream, and random ids
		"A w/20 x", "A w/21 y", // a signed group
		"A t/180 x", // a random id
	)
	signed := []score.Signed{{First: 7, Count: 2, Kind: score.KindWord}}
	for unit := range score.Units(updates, signed) {
		builder.AddUnit(unit)
	}
	b := builder.Build()
	headers := b.Headers()
	for i, g := range b.Groups {
		fmt.Printf("%-16s | %-5s | %s\n", kindName(&g), tells(&g, headers[i]), strings.Join(names(&g), ", "))
	}
	// Output:
	// KindRuns         | P A w | w/8 h, w/9 h, w/10 h, w/7 x
	// KindFree         |       | t/180 x
	// KindWord, signed | w     | w/20 x, w/21 y
	// KindFree         | B     | w/11 y, r/91 z, s/4 z
}

func kindName(g *batch.Group) string {
	name := map[score.Kind]string{score.KindWord: "KindWord", score.KindRuns: "KindRuns", score.KindFree: "KindFree"}[g.Kind]
	if g.Signature != nil {
		name += ", signed"
	}
	return name
}

// tells is what the group says of its project, signer and word.
func tells(g *batch.Group, h batch.Header) string {
	var says []string
	if !h.SameProject {
		says = append(says, string(g.Project[:1]))
	}
	if !h.SameSigner {
		says = append(says, string(g.Signer[:1]))
	}
	if word, ok := g.Word(); ok && !h.SameWord {
		says = append(says, string(word[:1]))
	}
	return strings.Join(says, " ")
}

func names(g *batch.Group) (out []string) {
	for _, u := range g.Updates {
		out = append(out, fmt.Sprintf("%c/%d %c", u.ID[0], u.ID[31], u.Target[0]))
	}
	return out
}
