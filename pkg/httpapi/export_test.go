package httpapi

import "github.com/scorelay/scorelay/pkg/score"

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
		codeMalformedRequest, codeMalformedJSON, codeInvalidBody, codeInvalidPath, codeMessageTooOld, codeMessageInFuture,
		codeBadSignature, codeUnknownProject, codeUnknownAction, codeUnknownScoreType,
		codeMissingAPIKey, codeInvalidAPIKey, codeSignerNotMember, codeSignedOnly,
		codeNotFound, codeProjectNotFound, codeUpdateNotFound, codeMethodNotAllowed, codeRequestTimeout, codeProjectExists,
		codeBodyTooLarge, codeMediaType, codeContentEncoding, codeRateLimited, codeBacklogFull, codeTooManyConnections, codeHeadersTooLarge,
		codeInternal, codeUnknownMethod, codeStarting, codeShuttingDown, codeOverloaded, codeConnectionsFull, codeNotDurable, codeStreamFull, codeHalted, codeUpdateInProgress,
		codeStatusRebuilding, codeStatusUnavailable, codeChainUnavailable, codeHTTPVersion,
	}
}

// FieldCodes is the whole table.
func FieldCodes() []FieldCode {
	return []FieldCode{fieldRequired, fieldUnknown, fieldDuplicate, fieldWrongType, fieldInvalid, fieldChecksum}
}
