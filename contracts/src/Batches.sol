// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import "./BatchData.sol";
import {Projects} from "./Projects.sol";

/// @dev Applies batches of updates to projects; the hot path of {ScoreRegistry}.
///
/// Assembly is used where Solidity has no word for it (reading packed calldata, hashing a part of the batch) and in the
/// few lines that every update passes. A twin in plain Solidity, in the tests, must agree with all of it.
abstract contract Batches is Projects, EIP712 {
    using BatchData for Batch;

    /// @dev What a member signs, as EIP-712 names it. kind is the group's, without its flags; updates is its body, with its word.
    bytes32 private constant GROUP_TYPEHASH = keccak256("UpdateGroup(bytes32 projectId,uint8 kind,bytes updates)");

    /// @inheritdoc IScoreRegistry
    function applyBatch(bytes calldata data) external onlyRole(RELAYER_ROLE) {
        Batch memory b = BatchData.open(data);
        if (b.start == b.end) b.badFraming();
        for (uint256 pos = b.start; pos < b.end;) {
            pos = _applyGroup(b, pos);
        }
        b.logApplied();
    }

    /// @dev Applies the group at `pos` and returns where the next one starts. The position may run beyond the batch while records
    /// are read; then the whole call reverts, so that needs checking only once.
    function _applyGroup(Batch memory b, uint256 pos) private returns (uint256 end) {
        unchecked {
            b.group = pos;
            uint256 kind;
            (kind, pos) = _readHeader(b, pos);
            if (kind & SIGNED != 0) pos += SIGNATURE_BYTES;
            uint256 body = pos;
            if (kind & KIND_BITS != KIND_FREE && kind & SAME_WORD == 0) {
                b.word = BatchData.load(pos) >> 8;
                pos += WORD_BYTES;
            }

            uint256 outcome = _authority(b, kind);
            if (outcome != APPLIED || kind & SIGNED != 0) {
                uint256 count;
                (end, count) = b.measure(kind & KIND_BITS, pos);
                if (end > b.end) b.badFraming();
                if (outcome == APPLIED && !_signed(b, kind, body, end)) outcome = BAD_SIGNATURE;
                if (outcome != APPLIED) {
                    for (; count != 0; --count) {
                        b.skip(b.done++, outcome);
                    }
                    return end;
                }
            }

            kind &= KIND_BITS;
            if (kind == KIND_WORD) end = _applyWord(b, pos);
            else if (kind == KIND_RUNS) end = _applyRuns(b, pos);
            else end = _applyFree(b, pos);
            if (end > b.end) b.badFraming();
        }
    }

    /// @dev Reads whose group it is, up to its signature or body.
    function _readHeader(Batch memory b, uint256 pos) private view returns (uint256 kind, uint256) {
        unchecked {
            kind = BatchData.load(pos) >> 248;
            ++pos;
            uint256 form = kind & KIND_BITS;
            if (form == 0 || form > KIND_FREE) b.badFraming();
            if (kind & SAME_WORD != 0 && (form == KIND_FREE || kind & SIGNED != 0 || b.word == NO_WORD)) {
                b.badFraming();
            }
            uint256 same = kind & (SAME_PROJECT | SAME_SIGNER);
            if (same == SAME_PROJECT | SAME_SIGNER && b.project != 0) return (kind, pos);
            if (same != 0 && b.project == 0) b.badFraming();

            if (kind & SAME_PROJECT == 0) {
                b.projectId = bytes32(BatchData.load(pos));
                pos += 32;
                _enterProject(b, _projects[b.projectId]);
            }
            if (kind & SAME_SIGNER == 0) {
                b.signer = address(uint160(BatchData.load(pos) >> 96));
                pos += 20;
            }
            b.member = _project(b).members[b.signer] != 0;
            return (kind, pos);
        }
    }

    /// @dev The outcome of updates whose signer may not make them; APPLIED if it may, a signature being still to be checked.
    function _authority(Batch memory b, uint256 kind) private pure returns (uint256) {
        if (b.actions == 0) return UNKNOWN_PROJECT;
        if (!b.member) return NOT_MEMBER;
        return b.signedOnly && kind & SIGNED == 0 ? SIGNATURE_REQUIRED : APPLIED;
    }

    /// @dev Whether the signature before the body (EIP-2098) is the signer's over the group (EIP-712).
    function _signed(Batch memory b, uint256 kind, uint256 body, uint256 end) private view returns (bool) {
        unchecked {
            uint256 copied = b.copy + body - b.start;
            bytes32 updates;
            assembly ("memory-safe") {
                updates := keccak256(copied, sub(end, body))
            }
            bytes32 digest =
                _hashTypedDataV4(keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind & KIND_BITS, updates)));
            uint256 r = BatchData.load(body - SIGNATURE_BYTES);
            uint256 vs = BatchData.load(body - SIGNATURE_BYTES / 2);
            // A high s makes a second signature of the same group, which is of no use: its ids are used.
            return ecrecover(digest, uint8(27 + (vs >> 255)), bytes32(r), bytes32(vs << 1 >> 1)) == b.signer;
        }
    }

    // The three loops below apply updates in assembly while they are plainly good: the id unused, the action's points in memory,
    // the score type known to exist. At one that is not they stop, _decide looks closely, and they resume: with that very
    // update if it is good after all (its action's slot has been read now), else after it. A record is then passed over; an entry
    // of a run goes through the loop once more, with nothing to add, since the run may be complete with it.
    //
    // Where their shifts come from: with a byte's lowest bit at bit k of what was loaded,
    //   action: at = shr(k - 2) + 4 is its field, action + 1, from bit 2 on; at & 0x3e0 is field / 8 * 32, the place of its
    //           slot in the cache; shl(3, at) & 0xe0 is field % 8 * 32, the place of its points in that slot. k is 80 of a record,
    //           240 of a low entry, 0 of a free one. Action 255 comes out as field 0, which is 0 in the cache: no action.
    //   target and score type: shr(88) & ~3 is the key of its slot of scores; shr(82) & 0xc0 is scoreType % 4 * 64, the place
    //           of its score in that slot, since the score type's lowest bit is at 88.

    /// @dev Applies records whose ids are the set bits of a mask in their word. The bitmap is read and written once.
    function _applyWord(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 mask, uint256 first) = b.readMask(pos);
            pos = first;
            Project storage project = _project(b);
            mapping(uint256 => uint256) storage scores = project.scores;
            uint256[34] memory cache = b.cache;
            uint256 used = project.used[b.word];
            uint256 lastType = b.types - 1;
            while (true) {
                assembly ("memory-safe") {
                    mstore(0x20, scores.slot) // for the slots of scores, with their keys at 0
                    for {} mask {} {
                        let bit := and(mask, sub(0, mask))
                        let record := calldataload(pos) // target(20) scoreType(1) action(1) …
                        // the action's points in the cache
                        let at := add(shr(78, record), 4)
                        let points := mload(add(cache, and(at, 0x3e0)))
                        points := signextend(3, shr(and(shl(3, at), 0xe0), points))
                        if or(and(used, bit), or(iszero(points), gt(byte(20, record), lastType))) { break }
                        mask := xor(mask, bit)
                        used := or(used, bit)
                        pos := add(pos, RECORD_BYTES)
                        mstore(0, and(shr(88, record), not(3)))
                        let slot := keccak256(0, 0x40)
                        let fields := sload(slot)
                        if iszero(fields) { fields := BIASES }
                        sstore(slot, add(fields, shl(and(shr(82, record), 0xc0), points)))
                    }
                }
                if (mask == 0) break;
                uint256 update = BatchData.load(pos) >> 80;
                bool duplicate = used & mask & (~mask + 1) != 0;
                if (!_decide(b, b.done + (pos - first) / RECORD_BYTES, duplicate, update & 0xff, update >> 8 & 0xff)) {
                    mask &= mask - 1;
                    pos += RECORD_BYTES;
                }
            }
            project.used[b.word] = used;
            b.done += (pos - first) / RECORD_BYTES;
            return pos;
        }
    }

    /// @dev Applies runs of ids of one word. The bitmap, and the score of each run, is read and written once.
    function _applyRuns(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 runs, uint256 first) = b.readRuns(pos);
            b.first = pos = first;
            uint256[34] memory cache = b.cache;
            uint256 used = _project(b).used[b.word];
            uint256 run = BatchData.load(pos); // the current one: target(20) scoreType(1) more(1) …
            uint256 n = (run >> 80 & 0xff) + 1; // how many of its updates are to come
            uint256 sum; // what those before add to its score
            uint256 skipped; // where an update is that was not good after all
            pos += RUN_BYTES;
            uint256 lastType = b.types - 1;
            while (true) {
                assembly ("memory-safe") {
                    for {} 1 {} {
                        let entry := calldataload(pos) // low(1) action(1) …
                        let bit := shl(byte(0, entry), 1)
                        // the action's points in the cache
                        let at := add(shr(238, entry), 4)
                        let points := mload(add(cache, and(at, 0x3e0)))
                        points := signextend(3, shr(and(shl(3, at), 0xe0), points))
                        if or(and(used, bit), or(iszero(points), gt(byte(20, run), lastType))) {
                            if iszero(eq(pos, skipped)) { break }
                            bit := 0
                            points := 0
                        }
                        used := or(used, bit)
                        sum := add(sum, points)
                        pos := add(pos, LOW_ENTRY_BYTES)
                        n := sub(n, 1)
                        if iszero(n) {
                            // The run is complete. A sum of 0 leaves a fresh slot fresh: perhaps nothing was applied.
                            mstore(add(cache, KEY_AT), and(shr(88, run), not(3)))
                            let slot := keccak256(add(cache, KEY_AT), 0x40)
                            let fields := sload(slot)
                            if iszero(or(fields, iszero(sum))) { fields := BIASES }
                            sstore(slot, add(fields, shl(and(shr(82, run), 0xc0), sum)))
                            runs := sub(runs, 1)
                            if iszero(runs) { break }
                            sum := 0
                            run := calldataload(pos)
                            n := add(byte(21, run), 1)
                            pos := add(pos, RUN_BYTES)
                        }
                    }
                }
                if (runs == 0) break;
                uint256 update = BatchData.load(pos) >> 240;
                uint256 index = b.doneAt(pos, runs - 1, LOW_ENTRY_BYTES);
                bool duplicate = used >> (update >> 8) & 1 != 0;
                if (!_decide(b, index, duplicate, update & 0xff, run >> 88 & 0xff)) skipped = pos;
            }
            _project(b).used[b.word] = used;
            b.done = b.doneAt(pos, 0, LOW_ENTRY_BYTES);
            return pos;
        }
    }

    /// @dev Applies runs of any ids, each with a bitmap slot of its own as far as we know. The score of each run is read and
    /// written once.
    function _applyFree(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 runs, uint256 first) = b.readRuns(pos);
            b.first = pos = first;
            uint256[34] memory cache = b.cache;
            mapping(uint256 => uint256) storage used = _project(b).used;
            uint256 run = BatchData.load(pos); // this and the next as in _applyRuns
            uint256 n = (run >> 80 & 0xff) + 1;
            uint256 sum;
            uint256 skipped;
            pos += RUN_BYTES;
            uint256 lastType = b.types - 1;
            while (true) {
                assembly ("memory-safe") {
                    mstore(0x20, used.slot) // for the slots of words, with their keys at 0
                    for {} 1 {} {
                        mstore(0, shr(8, calldataload(pos))) // updateId(32)
                        let slot := keccak256(0, 0x40)
                        let bits := sload(slot)
                        let entry := calldataload(add(pos, 1)) // updateId(31) action(1)
                        let bit := shl(byte(30, entry), 1)
                        // the action's points in the cache
                        let at := add(shl(2, entry), 4)
                        let points := mload(add(cache, and(at, 0x3e0)))
                        points := signextend(3, shr(and(shl(3, at), 0xe0), points))
                        if or(and(bits, bit), or(iszero(points), gt(byte(20, run), lastType))) {
                            if iszero(eq(pos, skipped)) { break }
                            bit := 0
                            points := 0
                        }
                        sstore(slot, or(bits, bit))
                        sum := add(sum, points)
                        pos := add(pos, FREE_ENTRY_BYTES)
                        n := sub(n, 1)
                        if n { continue} // most runs of free ids have one: what follows is what usually happens

                        // The run is complete, as in _applyRuns.
                        mstore(add(cache, KEY_AT), and(shr(88, run), not(3)))
                        slot := keccak256(add(cache, KEY_AT), 0x40)
                        let fields := sload(slot)
                        if iszero(or(fields, iszero(sum))) { fields := BIASES }
                        sstore(slot, add(fields, shl(and(shr(82, run), 0xc0), sum)))
                        runs := sub(runs, 1)
                        if iszero(runs) { break }
                        sum := 0
                        run := calldataload(pos)
                        n := add(byte(21, run), 1)
                        pos := add(pos, RUN_BYTES)
                    }
                }
                if (runs == 0) break;
                uint256 id = BatchData.load(pos);
                uint256 index = b.doneAt(pos, runs - 1, FREE_ENTRY_BYTES);
                bool duplicate = used[id >> 8] >> (id & 0xff) & 1 != 0;
                if (!_decide(b, index, duplicate, BatchData.load(pos + 32) >> 248, run >> 88 & 0xff)) skipped = pos;
            }
            b.done = b.doneAt(pos, 0, FREE_ENTRY_BYTES);
            return pos;
        }
    }

    /// @dev Looks closely at an update that is not plainly good, and notes its outcome if it is to be skipped. If it is good after
    /// all, then that is plain from now on.
    function _decide(Batch memory b, uint256 index, bool duplicate, uint256 action, uint256 typeIndex)
        private
        view
        returns (bool good)
    {
        if (duplicate) {
            b.skip(index, DUPLICATE);
            return false;
        }
        if (action >= b.actions) {
            b.skip(index, UNKNOWN_ACTION);
            return false;
        }
        if (typeIndex >= b.types) {
            b.skip(index, UNKNOWN_SCORE_TYPE);
            return false;
        }
        // All that was missing is its action's slot: not the first one, which is in the cache from the start.
        uint256 project = b.project;
        uint256[34] memory cache = b.cache;
        assembly ("memory-safe") {
            let place := shr(3, add(action, 1))
            mstore(add(cache, shl(5, place)), sload(add(project, place)))
        }
        return true;
    }

    /// @dev Adds points to the score of a wallet and score type, given as wallet << 8 | scoreType. The field neither overflows
    /// nor underflows (see {ScoreRegistry}), so its neighbours stay as they are.
    function _addToScore(Project storage project, uint256 targetAndType, int256 points) internal {
        mapping(uint256 => uint256) storage scores = project.scores;
        assembly ("memory-safe") {
            // scores[targetAndType & ~3], whose slot is computed once
            mstore(0, and(targetAndType, not(3)))
            mstore(0x20, scores.slot)
            let slot := keccak256(0, 0x40)
            let fields := sload(slot)
            if iszero(fields) { fields := BIASES }
            sstore(slot, add(fields, shl(shl(6, and(targetAndType, 3)), points)))
        }
    }

    function _project(Batch memory b) private pure returns (Project storage project) {
        uint256 slot = b.project;
        assembly ("memory-safe") {
            project.slot := slot
        }
    }

    /// @dev Reads what there is to know of another project, and makes the cache its own.
    function _enterProject(Batch memory b, Project storage project) private view {
        mapping(uint256 => uint256) storage scores = project.scores;
        uint256[34] memory cache = b.cache;
        uint256 slot;
        assembly ("memory-safe") {
            slot := project.slot
            calldatacopy(cache, calldatasize(), KEY_AT)
            mstore(add(cache, add(KEY_AT, 0x20)), scores.slot)
            mstore(cache, and(sload(slot), not(0xffffffff))) // the first points, without the counts
        }
        b.project = slot;
        b.actions = project.actionCount;
        b.types = project.scoreTypeCount;
        b.signedOnly = project.signedOnly;
    }
}
