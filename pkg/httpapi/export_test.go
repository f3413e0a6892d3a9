package httpapi

import (
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// TellOf tells the log of updates that one key sent within a second.
func TellOf(log *slog.Logger, grant *score.Grant, updates []score.Update) {
	a := newAttribution(log)
	by := &caller{Grant: grant}
	for i := range updates {
		a.note(by, "", updates[i:i+1], 1, 0, 0)
	}
	a.tell()
}

// WaitAfter is how long a caller should wait after requests that took so long.
func WaitAfter(took ...time.Duration) time.Duration {
	var p pace
	for _, t := range took {
		p.note(t)
	}
	return p.wait()
}

// Waiting is how many updates and groups wait for the publish after the one that is in flight.
func (s *Server) Waiting() int { return len(s.enveloper.in) }

// AcceptedName is the name of the project updates to that id are checked against, "" without one.
func AcceptedName(p *Projects, id score.ProjectID) string {
	rec, ok := p.lookup(id)
	if !ok {
		return ""
	}
	return rec.Name
}

// Codes is the whole table, by status.
func Codes() []Code {
	return []Code{
		codeMalformedRequest, codeMalformedJSON, codeInvalidBody, codeInvalidPath, codeInvalidQuery, codeMessageTooOld, codeMessageInFuture,
		codeBadSignature, codeUnknownProject, codeUnknownAction, codeUnknownScoreType, codeEditExpired,
		codeMissingAPIKey, codeInvalidAPIKey, codeExpiredAPIKey, codeSignerNotMember, codeNotOwner, codeSignedOnly, codeNoRight, codeKeysProjects, codeTimeSignature, codeCrossOrigin,
		codeNotFound, codeProjectNotFound, codeUpdateNotFound, codeEditNotFound, codeMethodNotAllowed, codeRequestTimeout, codeProjectExists, codeEditExists, codeWrongEditNonce, codeEditWaits,
		codeCursorReplaced, codeBodyTooLarge, codeMediaType, codeContentEncoding, codeRateLimited, codeBudgetSpent, codeTooManyLookUps, codeTooManyStreams, codeBacklogFull, codeTooManyConnections, codeTooManyBodies, codeHeadersTooLarge,
		codeInternal, codeUnknownMethod, codeStarting, codeKeyUnverified, codeShuttingDown, codeOverloaded, codeConnectionsFull, codeNotDurable, codeStreamFull, codeHalted, codePaused, codeUpdateInProgress,
		codeStatusRebuilding, codeStatusUnavailable, codeIndexRebuilding, codeIndexUnavailable, codeChainUnavailable, codeHTTPVersion,
	}
}

// FieldCodes is the whole table.
func FieldCodes() []FieldCode {
	return []FieldCode{fieldRequired, fieldUnknown, fieldDuplicate, fieldWrongType, fieldInvalid, fieldChecksum}
}
