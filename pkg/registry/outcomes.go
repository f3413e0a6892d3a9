package registry

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrNoEvent means that the receipt is another transaction's, the call failed, or the address is not a ScoreRegistry.
var ErrNoEvent = errors.New("receipt lacks the event of the call")

// Outcomes returns the outcome of each of b.Updates() from the receipt of the transaction that carried
// EncodeBatch(b). The error wraps ErrNoEvent unless the receipt has exactly that batch's event.
func Outcomes(b batch.Batch, registry common.Address, receipt *types.Receipt) ([]score.Outcome, error) {
	data := EncodeBatchData(b)
	for _, log := range registryLogs(registry, receipt) {
		event, err := ParseLog(log)
		if errors.Is(err, ErrOtherEvent) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if applied, ok := event.(BatchApplied); ok && bytes.Equal(applied.Data, data) {
			return applied.Outcomes, nil
		}
	}
	return nil, fmt.Errorf("%w: BatchApplied of transaction %s", ErrNoEvent, receipt.TxHash)
}

// Created returns ErrNoEvent unless the receipt shows the project's creation.
func Created(id score.ProjectID, registry common.Address, receipt *types.Receipt) error {
	for _, log := range registryLogs(registry, receipt) {
		if len(log.Topics) == 2 && log.Topics[0] == topicProjectCreated && log.Topics[1] == common.Hash(id) {
			return nil
		}
	}
	return fmt.Errorf("%w: ProjectCreated of transaction %s", ErrNoEvent, receipt.TxHash)
}

func registryLogs(registry common.Address, receipt *types.Receipt) (logs []*types.Log) {
	if receipt.Status != types.ReceiptStatusSuccessful {
		return nil
	}
	for _, log := range receipt.Logs {
		if log.Address == registry && !log.Removed {
			logs = append(logs, log)
		}
	}
	return logs
}
