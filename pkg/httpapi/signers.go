package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	maxRecovered     = 16384 // cached (message, signature) pairs, about 5 MB
	recoveredShards  = 16    // of the cache, for less lock contention
	maxWalletFacts   = 16384
	maxCodeQuestions = 128 // members per request checked for being contracts
	maxContractCalls = 4   // contract members called per request
	contractTimeout  = 2 * time.Second
	codeBelieved     = 10 * time.Minute
	answerBelieved   = 30 * time.Second // a contract wallet may change its answer
)

// signers determines the signer of a request. One signature may serve many updates while it is fresh. Recovered
// addresses are cached, since a recovery costs more than all other checks together.
type signers struct {
	domain    wallet.Domain
	contracts Contracts // nil: contract wallets cannot sign
	recovered [recoveredShards]*lru.Cache[signed, common.Address]
	facts     *lru.Cache[fact, believed]

	// One place per core, since a recovery is pure computation in C. Go's scheduler treats a long call of C as a wait
	// and starts another thread, which would slow the others down.
	cores chan struct{}
}

type signed struct {
	at        int64 // the message's time, which has one text form
	signature wallet.Signature
}

// fact is a question to the chain: is wallet a contract (then the rest is zero), or does it accept a signature?
type fact struct {
	wallet    common.Address
	digest    common.Hash
	signature [sha256.Size]byte
}

type believed struct {
	yes   bool
	until time.Time
}

func newSigners(domain wallet.Domain, contracts Contracts) *signers {
	s := &signers{
		domain: domain, contracts: contracts,
		facts: lru.NewCache[fact, believed](maxWalletFacts),
		cores: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for i := range s.recovered {
		s.recovered[i] = lru.NewCache[signed, common.Address](maxRecovered / recoveredShards)
	}
	return s
}

// recover returns the address of the key that signed the request. If recovery fails, it returns the zero address, or
// a problem if contract wallets cannot sign.
func (s *signers) recover(r *updateRequest) (common.Address, *Problem) {
	sig, err := wallet.ParseSignature(r.signature)
	if err != nil {
		return s.unrecovered(err)
	}
	key, shard := signed{r.at.UnixMilli(), sig}, s.recovered[sig[31]%recoveredShards]
	if !r.typed {
		if signer, ok := shard.Get(key); ok {
			return signer, nil
		}
	}
	signer, err := s.recoverFrom(sig, s.digest(r))
	if err != nil {
		return s.unrecovered(err)
	}
	if !r.typed { // a typed signature serves one update, so caching it would only evict others
		shard.Add(key, signer)
	}
	return signer, nil
}

func (s *signers) recoverFrom(sig wallet.Signature, digest common.Hash) (common.Address, error) {
	s.cores <- struct{}{}
	defer func() { <-s.cores }()
	return sig.Recover(digest)
}

func (s *signers) unrecovered(err error) (common.Address, *Problem) {
	if s.contracts != nil {
		return common.Address{}, nil
	}
	return common.Address{}, fieldProblem(codeBadSignature, "/signature", err.Error())
}

func (s *signers) digest(r *updateRequest) common.Hash {
	if r.typed {
		return s.domain.Digest(r.Payload)
	}
	return wallet.PersonalDigest(r.text)
}

// member returns the project's member that signed: the recovered signer, or a contract wallet that accepts the
// signature.
func (s *signers) member(ctx context.Context, rec *score.Record, signer common.Address, r *updateRequest) (common.Address, *Problem) {
	if rec.Members[signer] != 0 {
		return signer, nil
	}
	if s.contracts != nil {
		ctx, cancel := context.WithTimeout(ctx, contractTimeout)
		defer cancel()
		contract, err := s.contractMember(ctx, rec, r)
		if err == nil {
			return contract, nil
		}
		if !errors.Is(err, errNoneAgrees) {
			return common.Address{}, temporary(codeChainUnavailable, time.Second, "the project's contract wallets could not be asked")
		}
	}
	if signer == (common.Address{}) {
		return signer, fieldProblem(codeBadSignature, "/signature", "is neither a key's signature nor one a contract wallet of the project agrees to")
	}
	if r.typed {
		return common.Address{}, notMember(signer, "this was checked by scheme "+schemeTyped+
			"; compare the domain (`signing` of GET /projects/{projectId}) and every field (message is a uint256)")
	}
	return common.Address{}, notMember(signer, "this was checked by scheme "+schemePersonal+", personal_sign of message; "+
		`what was signed by EIP-712 needs "scheme": "`+schemeTyped+`"`)
}

// notMember adds a hint: recovery yields an address for any digest, so if something else was signed, the address is
// meaningless.
func notMember(signer common.Address, compare string) *Problem {
	return problem(codeSignerNotMember, fmt.Sprintf("recovered %s; if that is none of your wallets, something else was signed: %s",
		strings.ToLower(signer.Hex()), compare))
}

var errNoneAgrees = errors.New("no contract wallet agrees")

func (s *signers) contractMember(ctx context.Context, rec *score.Record, r *updateRequest) (common.Address, error) {
	contracts, err := s.contractMembers(ctx, rec)
	if err != nil {
		return common.Address{}, err
	}
	digest, signature := s.digest(r), sha256.Sum256(r.signature)
	for _, contract := range contracts[:min(len(contracts), maxContractCalls)] {
		agrees, err := s.believe(fact{contract, digest, signature}, answerBelieved, func() (bool, error) {
			answer, err := s.contracts.Call(ctx, contract, wallet.ContractCall(digest, r.signature))
			return wallet.ContractAgrees(answer), err
		})
		if err != nil {
			return common.Address{}, err
		}
		if agrees {
			return contract, nil
		}
	}
	return common.Address{}, errNoneAgrees
}

// contractMembers returns the members that are contracts, always in the same order.
func (s *signers) contractMembers(ctx context.Context, rec *score.Record) ([]common.Address, error) {
	var contracts []common.Address
	for _, member := range rec.MembersAfter(score.Owner|score.Updater, nil, maxCodeQuestions) {
		has, err := s.believe(fact{wallet: member}, codeBelieved, func() (bool, error) { return s.contracts.HasCode(ctx, member) })
		if err != nil {
			return nil, err
		}
		if has {
			contracts = append(contracts, member)
		}
	}
	return contracts, nil
}

func (s *signers) believe(f fact, duration time.Duration, ask func() (bool, error)) (bool, error) {
	if known, ok := s.facts.Get(f); ok && time.Now().Before(known.until) {
		return known.yes, nil
	}
	yes, err := ask()
	if err == nil {
		s.facts.Add(f, believed{yes, time.Now().Add(duration)})
	}
	return yes, err
}
