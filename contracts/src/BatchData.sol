// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "./IScoreRegistry.sol";

// Framing of a batch; see {IScoreRegistry-applyBatch}.
uint256 constant KIND_WORD = 1;
uint256 constant KIND_RUNS = 2;
uint256 constant KIND_FREE = 3;
uint256 constant KIND_BITS = 0x0f;
uint256 constant SAME_PROJECT = 0x10;
uint256 constant SAME_SIGNER = 0x20;
uint256 constant SAME_WORD = 0x40;
uint256 constant SIGNED = 0x80;
uint256 constant NO_WORD = type(uint256).max;

uint256 constant WORD_BYTES = 31;
uint256 constant RECORD_BYTES = 22; // target(20) scoreType(1) action(1)
uint256 constant RUNS_BYTES = 2;
uint256 constant RUN_BYTES = 22; // target(20) scoreType(1) more(1)
uint256 constant LOW_ENTRY_BYTES = 2; // low(1) action(1)
uint256 constant FREE_ENTRY_BYTES = 33; // updateId(32) action(1)
uint256 constant SIGNATURE_BYTES = 64;

// Outcomes of an update; see {IScoreRegistry-BatchApplied}. Outcomes 6 and 7 exist only in the service.
uint256 constant APPLIED = 0;
uint256 constant DUPLICATE = 1;
uint256 constant UNKNOWN_PROJECT = 2;
uint256 constant NOT_MEMBER = 3;
uint256 constant UNKNOWN_ACTION = 4;
uint256 constant UNKNOWN_SCORE_TYPE = 5;
uint256 constant SIGNATURE_REQUIRED = 8;
uint256 constant BAD_SIGNATURE = 9;

/// @dev Byte offset of a score's key in a batch's cache. The slot of its mapping follows; the hash of both is the
/// score's slot.
uint256 constant KEY_AT = 0x400;

/// @dev State kept from one group of a batch to the next.
struct Batch {
    uint256 start; // start of the batch's data in the calldata
    uint256 end; // its end
    uint256 copy; // its copy in memory, followed by room for the outcomes
    uint256 outcomes; // the first update's outcome in memory; untouched while every update is applied
    uint256 done; // updates before the current group
    bool skipped; // an update was not applied
    uint256 group; // start of the current group
    bytes32 projectId;
    uint256 project; // its slot; 0 before the first group
    uint256 actions; // of the project; 0 if it does not exist
    uint256 types; // score types of the project
    bool signedOnly; // the project accepts signed groups only
    address signer;
    bool member; // the signer is a member of the project
    uint256 word; // of the last group that had one
    uint256 first; // start of the current group's first run
    uint256[34] cache; // slots of points read so far, without the counts; 0 for others; at KEY_AT a score's key
}

/// @dev Parses a batch and records its outcomes, without access to the contract's storage. Positions are offsets in
/// the calldata; bytes beyond its end read as 0.
library BatchData {
    /// @dev Returns the end of a body and its number of updates, without reading these. `pos` is behind its word.
    function measure(Batch memory b, uint256 kind, uint256 pos) internal pure returns (uint256 end, uint256 count) {
        unchecked {
            if (kind == KIND_WORD) {
                uint256 mask;
                (mask, pos) = readMask(b, pos);
                count = bits(mask);
                return (pos + count * RECORD_BYTES, count);
            }
            uint256 entryBytes = kind == KIND_RUNS ? LOW_ENTRY_BYTES : FREE_ENTRY_BYTES;
            uint256 runs;
            (runs, pos) = readRuns(b, pos);
            for (; runs != 0; --runs) {
                uint256 n = (load(pos) >> 80 & 0xff) + 1;
                pos += RUN_BYTES + n * entryBytes;
                count += n;
            }
            return (pos, count);
        }
    }

    /// @dev Returns the ids of a Word group as bits of their word, and the position behind the mask.
    function readMask(Batch memory b, uint256 pos) internal pure returns (uint256 mask, uint256) {
        unchecked {
            uint256 head = load(pos);
            uint256 start = head >> 248;
            uint256 length = head >> 240 & 0xff;
            if (start + length > 32) badFraming(b);
            mask = load(pos + 2) >> (256 - 8 * length) << (8 * start);
            if (mask == 0) badFraming(b);
            return (mask, pos + 2 + length);
        }
    }

    /// @dev Returns the number of set bits. It counts in pairs of bits, in nibbles, in bytes and in 16 bits; a
    /// multiplication adds these up.
    function bits(uint256 x) private pure returns (uint256) {
        unchecked {
            x -= x >> 1 & type(uint256).max / 3;
            x = (x & type(uint256).max / 5) + (x >> 2 & type(uint256).max / 5);
            x = x + (x >> 4) & type(uint256).max / 17;
            x = (x & type(uint256).max / 257) + (x >> 8 & type(uint256).max / 257);
            return x * (type(uint256).max / 65535) >> 240;
        }
    }

    /// @dev Returns the number of runs and the position of the first. It refuses more than the rest of the batch
    /// could hold, so that a truncated batch reverts before it runs out of gas.
    function readRuns(Batch memory b, uint256 pos) internal pure returns (uint256 runs, uint256 first) {
        unchecked {
            runs = load(pos) >> 240;
            first = pos + RUNS_BYTES;
            if (runs == 0 || first + runs * (RUN_BYTES + LOW_ENTRY_BYTES) > b.end) badFraming(b);
        }
    }

    /// @dev Returns the number of updates in the batch before the one at `pos`, if `runs` runs follow the one at
    /// `pos`.
    function doneAt(Batch memory b, uint256 pos, uint256 runs, uint256 entryBytes) internal pure returns (uint256) {
        unchecked {
            uint256 all = load(b.first - RUNS_BYTES) >> 240;
            return b.done + (pos - b.first - (all - runs) * RUN_BYTES) / entryBytes;
        }
    }

    /// @dev Copies the batch to memory, into the event that will be logged.
    function open(bytes calldata data) internal pure returns (Batch memory b) {
        b.word = NO_WORD;
        uint256 start;
        uint256 copy;
        assembly ("memory-safe") {
            // The event as it will be logged: two offsets, data, outcomes. An update takes at least two bytes of
            // data, so outcomes need at most half as much room, plus their length and padding.
            let padded := and(add(data.length, 31), not(31))
            let log := mload(0x40)
            start := data.offset
            copy := add(log, 0x60)
            mstore(log, 0x40)
            mstore(add(log, 0x20), add(0x60, padded))
            mstore(add(log, add(0x40, padded)), 0) // the padding; the length below if there is no data
            mstore(add(log, 0x40), data.length)
            calldatacopy(copy, start, data.length)
            mstore(0x40, add(add(copy, padded), and(add(shr(1, padded), 0x7f), not(31))))
        }
        b.start = start;
        b.group = start;
        b.end = start + data.length;
        b.copy = copy;
        b.outcomes = copy + ((data.length + 31) & ~uint256(31)) + 32;
    }

    /// @dev Logs BatchApplied.
    function logApplied(Batch memory b) internal {
        bytes32 topic = IScoreRegistry.BatchApplied.selector;
        uint256 count = b.skipped ? b.done : 0;
        uint256 log = b.copy - 0x60;
        uint256 outcomes = b.outcomes;
        assembly ("memory-safe") {
            mstore(sub(outcomes, 0x20), count)
            log1(log, sub(add(outcomes, and(add(count, 31), not(31))), log), topic)
        }
    }

    /// @dev Records why an update was not applied.
    function skip(Batch memory b, uint256 index, uint256 outcome) internal pure {
        uint256 outcomes = b.outcomes;
        if (!b.skipped) {
            b.skipped = true;
            uint256 most = (b.end - b.start) / LOW_ENTRY_BYTES + 32;
            assembly ("memory-safe") {
                calldatacopy(outcomes, calldatasize(), most)
            }
        }
        assembly ("memory-safe") {
            mstore8(add(outcomes, index), outcome)
        }
    }

    function badFraming(Batch memory b) internal pure {
        revert IScoreRegistry.BadFraming(b.group - b.start);
    }

    /// @dev Returns 32 bytes of the calldata; those beyond its end are zero.
    function load(uint256 pos) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(pos)
        }
    }
}
