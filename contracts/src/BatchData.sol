// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "./IScoreRegistry.sol";

// How a batch is framed; see {IScoreRegistry-applyBatch}.
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

// What may become of an update; see {IScoreRegistry-BatchApplied}. 6 and 7 are outcomes that only the service knows.
uint256 constant APPLIED = 0;
uint256 constant DUPLICATE = 1;
uint256 constant UNKNOWN_PROJECT = 2;
uint256 constant NOT_MEMBER = 3;
uint256 constant UNKNOWN_ACTION = 4;
uint256 constant UNKNOWN_SCORE_TYPE = 5;
uint256 constant SIGNATURE_REQUIRED = 8;
uint256 constant BAD_SIGNATURE = 9;

/// @dev Where in a batch's cache the key of a score is put, the slot of its mapping behind: their hash is the score's slot.
uint256 constant KEY_AT = 0x400;

/// @dev What one group of a batch leaves to the next.
struct Batch {
    uint256 start; // where the batch's data starts in the calldata
    uint256 end; // and where it ends
    uint256 copy; // where its copy is in memory, with room for the outcomes behind
    uint256 outcomes; // the outcome of the first update, in memory; not touched while all is applied
    uint256 done; // updates before the current group
    bool skipped; // one was not applied
    uint256 group; // where the current group starts
    bytes32 projectId;
    uint256 project; // its slot; 0 before the first group
    uint256 actions; // how many the project has; 0 if there is no such project
    uint256 types; // how many score types it has
    bool signedOnly; // whether it takes signed groups only
    address signer;
    bool member; // whether the signer is one of the project
    uint256 word; // of the last group that had one
    uint256 first; // where the first run of the current group starts
    uint256[34] cache; // the project's slots of points that were read, without its counts, 0 for others; then a score's key
}

/// @dev What is known of a batch without the contract's storage: where its parts are, and what became of its updates.
/// Positions are those of the calldata; bytes beyond its end read as 0.
library BatchData {
    /// @dev Where a body ends and how many updates it has, without looking at them. `pos` is behind its word.
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

    /// @dev The ids of a Word group, as bits of their word.
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

    /// @dev How many bits are set: counted in pairs of bits, in nibbles, in bytes, in 16 bits, and summed up by a multiplication.
    function bits(uint256 x) private pure returns (uint256) {
        unchecked {
            x -= x >> 1 & type(uint256).max / 3;
            x = (x & type(uint256).max / 5) + (x >> 2 & type(uint256).max / 5);
            x = x + (x >> 4) & type(uint256).max / 17;
            x = (x & type(uint256).max / 257) + (x >> 8 & type(uint256).max / 257);
            return x * (type(uint256).max / 65535) >> 240;
        }
    }

    /// @dev How many runs there are, and where they start. More than the rest of the batch could hold are refused at once, so
    /// that a batch that is cut short does not run out of gas before that is seen.
    function readRuns(Batch memory b, uint256 pos) internal pure returns (uint256 runs, uint256 first) {
        unchecked {
            runs = load(pos) >> 240;
            first = pos + RUNS_BYTES;
            if (runs == 0 || first + runs * (RUN_BYTES + LOW_ENTRY_BYTES) > b.end) badFraming(b);
        }
    }

    /// @dev How many updates of the batch are before the one at `pos`, with so many runs to come after its own.
    function doneAt(Batch memory b, uint256 pos, uint256 runs, uint256 entryBytes) internal pure returns (uint256) {
        unchecked {
            uint256 all = load(b.first - RUNS_BYTES) >> 240;
            return b.done + (pos - b.first - (all - runs) * RUN_BYTES) / entryBytes;
        }
    }

    /// @dev Copies the batch into the event it will be logged in.
    function open(bytes calldata data) internal pure returns (Batch memory b) {
        b.word = NO_WORD;
        uint256 start;
        uint256 copy;
        assembly ("memory-safe") {
            // The event as it will be logged: two offsets, data, outcomes. No update takes less than two bytes of data, so outcomes
            // need half as much room, and some for their length and padding.
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

    /// @dev Notes why an update was not applied.
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

    /// @dev 32 bytes of the calldata; those beyond its end are zero.
    function load(uint256 pos) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(pos)
        }
    }
}
