package httpapi

import "net/http"

// Code is one entry of the API's table of errors: a stable name, the HTTP status it comes with, and what it says.
type Code struct {
	Name   string
	Status int
	Title  string // the problem's title: the same words for every occurrence
	Advice string // what a caller should do about it
}

// The codes of problem documents. Names never change; new ones may come.
var (
	codeMalformedRequest  = Code{"malformed_request", http.StatusBadRequest, "The request is not valid HTTP", "Correct the request."}
	codeMalformedJSON     = Code{"malformed_json", http.StatusBadRequest, "The body is not one JSON object", "Send one JSON object, in UTF-8, and nothing after it."}
	codeInvalidBody       = Code{"invalid_body", http.StatusBadRequest, "Fields of the body are wrong", "See `errors`: each names a field by a JSON pointer."}
	codeInvalidPath       = Code{"invalid_path", http.StatusBadRequest, "An id or address in the path is wrong", "Ids are 0x and 64 hex digits, wallets 0x and 40."}
	codeMessageTooOld     = Code{"message_too_old", http.StatusBadRequest, "The message was signed too long ago", "Sign the current time in milliseconds and send it within five minutes (the default)."}
	codeMessageInFuture   = Code{"message_in_future", http.StatusBadRequest, "The message's time lies in the future", "Correct the signer's clock."}
	codeBadSignature      = Code{"bad_signature", http.StatusBadRequest, "The signature cannot be one", "Sign a message with personal_sign, a group with EIP-712: 65 bytes, v 27 or 28 (or 0 or 1), low s. (The outcome of this name: a group's signature was not its signer's.)"}
	codeUnknownProject    = Code{"unknown_project", http.StatusBadRequest, "The project does not exist", "Create it first; check the projectId."}
	codeUnknownAction     = Code{"unknown_action", http.StatusBadRequest, "The project has no such action", "Use a name of the project's actions."}
	codeUnknownScoreType  = Code{"unknown_score_type", http.StatusBadRequest, "The project has no such score type", "Use a name of the project's score types."}
	codeMissingAPIKey     = Code{"missing_api_key", http.StatusUnauthorized, "The header X-API-KEY is missing", "Send the API key with every request."}
	codeInvalidAPIKey     = Code{"invalid_api_key", http.StatusUnauthorized, "The API key is unknown or revoked", "Check the key; ask the operator for a new one."}
	codeSignerNotMember   = Code{"signer_not_member", http.StatusForbidden, "The signer is neither owner nor updater of the project", "Sign with a registered wallet, or register this one."}
	codeSignedOnly        = Code{"signed_only", http.StatusForbidden, "The project takes signed groups of updates only", "Sign updates in groups and send them to POST /update-scores."}
	codeNotFound          = Code{"not_found", http.StatusNotFound, "There is nothing at this path", "Check method and path."}
	codeProjectNotFound   = Code{"project_not_found", http.StatusNotFound, "The project does not exist", "Check the projectId."}
	codeUpdateNotFound    = Code{"update_not_found", http.StatusNotFound, "No update of this id was accepted", "Send the update (again)."}
	codeMethodNotAllowed  = Code{"method_not_allowed", http.StatusMethodNotAllowed, "The path does not take this method", "See the header Allow."}
	codeRequestTimeout    = Code{"request_timeout", http.StatusRequestTimeout, "The request did not arrive in time", "Send it again, faster."}
	codeProjectExists     = Code{"project_exists", http.StatusConflict, "The projectId is taken", "Choose another projectId: ids are set once, for ever."}
	codeBodyTooLarge      = Code{"body_too_large", http.StatusRequestEntityTooLarge, "The body is too large", "No valid body is larger than 256 KiB (the default limit)."}
	codeMediaType         = Code{"unsupported_media_type", http.StatusUnsupportedMediaType, "The content type is not application/json", "Send Content-Type: application/json."}
	codeContentEncoding   = Code{"unsupported_encoding", http.StatusUnsupportedMediaType, "The body is compressed", "Send it without Content-Encoding."}
	codeRateLimited       = Code{"rate_limited", http.StatusTooManyRequests, "The API key sends too fast", "Wait for Retry-After seconds."}
	codeHeadersTooLarge   = Code{"headers_too_large", http.StatusRequestHeaderFieldsTooLarge, "The request's headers are too large", "Send fewer or shorter headers."}
	codeInternal          = Code{"internal", http.StatusInternalServerError, "Something went wrong here", "Send the request again; tell the operator if it stays."}
	codeStarting          = Code{"starting", http.StatusServiceUnavailable, "The API is still starting", "Send the request again after Retry-After seconds."}
	codeShuttingDown      = Code{"shutting_down", http.StatusServiceUnavailable, "This instance is shutting down", "Send the request again, to another instance."}
	codeOverloaded        = Code{"overloaded", http.StatusServiceUnavailable, "Too many requests are in progress", "Send the request again after Retry-After seconds."}
	codeNotDurable        = Code{"not_durable", http.StatusServiceUnavailable, "It could not be stored durably in time", "Send the same request again after Retry-After seconds: it takes effect at most once."}
	codeStreamFull        = Code{"stream_full", http.StatusServiceUnavailable, "There is no room for more work", "Send the same request again after Retry-After seconds."}
	codeUpdateInProgress  = Code{"update_in_progress", http.StatusServiceUnavailable, "An update of this id is being accepted right now", "Send the same request again after Retry-After seconds."}
	codeStatusRebuilding  = Code{"status_rebuilding", http.StatusServiceUnavailable, "Statuses are being rebuilt", "Ask again after Retry-After seconds."}
	codeStatusUnavailable = Code{"status_unavailable", http.StatusServiceUnavailable, "Statuses cannot be read right now", "Ask again after Retry-After seconds."}
	codeChainUnavailable  = Code{"chain_unavailable", http.StatusServiceUnavailable, "The chain cannot be read right now", "Ask again after Retry-After seconds."}
)

// Codes is the whole table, by status.
func Codes() []Code {
	return []Code{
		codeMalformedRequest, codeMalformedJSON, codeInvalidBody, codeInvalidPath, codeMessageTooOld, codeMessageInFuture,
		codeBadSignature, codeUnknownProject, codeUnknownAction, codeUnknownScoreType,
		codeMissingAPIKey, codeInvalidAPIKey, codeSignerNotMember, codeSignedOnly,
		codeNotFound, codeProjectNotFound, codeUpdateNotFound, codeMethodNotAllowed, codeRequestTimeout, codeProjectExists,
		codeBodyTooLarge, codeMediaType, codeContentEncoding, codeRateLimited, codeHeadersTooLarge,
		codeInternal, codeStarting, codeShuttingDown, codeOverloaded, codeNotDurable, codeStreamFull, codeUpdateInProgress,
		codeStatusRebuilding, codeStatusUnavailable, codeChainUnavailable,
	}
}

// FieldCode is one entry of the table of what can be wrong with a field: the `code` of a member of `errors`.
type FieldCode struct {
	Name    string
	Meaning string
}

// What can be wrong with a field.
var (
	fieldRequired  = FieldCode{"required", "The field is missing or null."}
	fieldUnknown   = FieldCode{"unknown", "There is no such field."}
	fieldDuplicate = FieldCode{"duplicate", "The field appears twice."}
	fieldWrongType = FieldCode{"wrong_type", "The value has another JSON type."}
	fieldInvalid   = FieldCode{"invalid", "The value breaks a rule of the field; `detail` says which."}
	fieldChecksum  = FieldCode{"bad_checksum", "An address in mixed case fails its EIP-55 checksum."}
)

// FieldCodes is the whole table.
func FieldCodes() []FieldCode {
	return []FieldCode{fieldRequired, fieldUnknown, fieldDuplicate, fieldWrongType, fieldInvalid, fieldChecksum}
}
