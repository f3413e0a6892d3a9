// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import "./BatchData.sol";
import {Projects} from "./Projects.sol";

/// @dev Applies batches of updates to projects; the hot path of {ScoreRegistry}.
///
/// Assembly is used if Solidity has no equivalent (reading packed calldata, hashing a part of the batch), and in the
/// few lines that every update passes. The tests compare all of it with an implementation in plain Solidity.
abstract contract Batches is Projects, EIP712 {
    using BatchData for Batch;

    /// @dev The EIP-712 type that a member signs. kind is the group's without its flags; updates is its body with its
    /// word.
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

    /// @dev Applies the group at `pos` and returns the start of the next one. While records are read, the position
    /// may run beyond the batch. The whole call then reverts, so one check at the end suffices.
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

    /// @dev Reads the group's project and signer, up to its signature or body.
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

    /// @dev Returns an outcome if the signer may not make the group's updates, else APPLIED. It does not verify the
    /// signature.
    function _authority(Batch memory b, uint256 kind) private pure returns (uint256) {
        if (b.actions == 0) return UNKNOWN_PROJECT;
        if (!b.member) return NOT_MEMBER;
        return b.signedOnly && kind & SIGNED == 0 ? SIGNATURE_REQUIRED : APPLIED;
    }

    /// @dev Reports whether the signature before the body (EIP-2098) is the signer's over the group (EIP-712).
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
            // A high s makes a second valid signature of the same group, which is useless: its ids are used.
            return ecrecover(digest, uint8(27 + (vs >> 255)), bytes32(r), bytes32(vs << 1 >> 1)) == b.signer;
        }
    }

    // The three loops below apply updates in assembly while these are plainly valid: the id is unused, the action's
    // points are in memory, the score type exists. At any other update they stop, and _decide checks it. If it is
    // valid after all, the loop resumes with it, since _decide has read its action's slot; else after it. A skipped
    // record is passed over. A skipped entry of a run goes through the loop once more, with nothing to add, since it
    // may complete its run.
    //
    // Where the shifts come from: with a byte's lowest bit at bit k of the loaded value,
    //   action: at = shr(k - 2) + 4 is its field, action + 1, from bit 2 on. at & 0x3e0 is field / 8 * 32, the offset
    //           of its slot in the cache. shl(3, at) & 0xe0 is field % 8 * 32, the offset of its points in that slot. k
    //           is 80 in a record, 240 in a low entry, 0 in a free one. Action 255 yields field 0, which is 0 in the
    //           cache: no action.
    //   target and score type: shr(88) & ~3 is the key of its slot of scores. shr(82) & 0xc0 is scoreType % 4 * 64, the
    //           offset of its score in that slot, since the score type's lowest bit is at 88.

    /// @dev Applies records; their ids are the set bits of a mask in their word. Reads and writes the bitmap once.
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
                    mstore(0x20, scores.slot) // for the slots of scores; their keys are at 0
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

    /// @dev Applies runs of ids of one word. Reads and writes the bitmap once, and the score of each run once.
    function _applyRuns(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 runs, uint256 first) = b.readRuns(pos);
            b.first = pos = first;
            uint256[34] memory cache = b.cache;
            uint256 used = _project(b).used[b.word];
            uint256 run = BatchData.load(pos); // the current one: target(20) scoreType(1) more(1) …
            uint256 n = (run >> 80 & 0xff) + 1; // its remaining updates
            uint256 sum; // of the points of its updates so far
            uint256 skipped; // position of the update that _decide skipped last
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

    /// @dev Applies runs of any ids, which probably all have bitmap slots of their own. Reads and writes the score of
    /// each run once.
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
                    mstore(0x20, used.slot) // for the slots of words; their keys are at 0
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
                        if n { continue} // most runs of free ids have one update, so the code below usually runs

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

    /// @dev Checks an update that is not plainly valid. It records the outcome of one that must be skipped. If it is
    /// valid after all, the loop will accept it from now on.
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
        // Only its action's slot was missing. It is not the first one, which is in the cache from the start.
        uint256 project = b.project;
        uint256[34] memory cache = b.cache;
        assembly ("memory-safe") {
            let place := shr(3, add(action, 1))
            mstore(add(cache, shl(5, place)), sload(add(project, place)))
        }
        return true;
    }

    /// @dev Adds points to the score of a wallet and score type, given as wallet << 8 | scoreType. The field neither
    /// overflows nor underflows (see {ScoreRegistry}), so its neighbours do not change.
    function _addToScore(Project storage project, uint256 targetAndType, int256 points) internal {
        mapping(uint256 => uint256) storage scores = project.scores;
        assembly ("memory-safe") {
            // scores[targetAndType & ~3], with its slot computed once
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

    /// @dev Reads another project's first slot and resets the cache for it.
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
