// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";

/// @title ScoreRegistry
/// @notice See {IScoreRegistry}. The contract is immutable and calls no other contract (but ecrecover). Its admin grants and revokes the
/// relayer role, and can do nothing to projects or scores; who becomes admin changes only after a delay.
///
/// @dev Cost decides the storage. One update of an existing wallet in a batch of consecutive ids should pay for one score slot
/// and little else:
///  - updateIds are a bitmap: id >> 8 names a slot, the id's last byte a bit in it. Exact for every 32-byte id, in any order;
///    consecutive ids share slots, random ids pay a fresh slot each.
///  - four scores of a wallet share a slot as 64-bit lanes. A lane holds score + 2^63; a slot that is 0 was never touched. So a
///    score back at 0 does not clear its slot (and pay for a fresh one later), and signed points are added to the whole slot
///    at once: no lane ever leaves 1 … 2^64 - 1, so nothing carries over into its neighbour. Points below 2^31 see to that:
///    it takes 2^32 updates of one score to reach the end of its lane.
///  - eight actions' points share a slot. Points are never 0, so 0 means that there is no such action, and no count is read.
///  - a member's slot holds what a batch must know of the project, too: whether it takes signed groups only, and how many score
///    types it had when the slot was written. That number may be stale, but only too low: the project's slot is read only
///    for a score type beyond it.
///  - names are hashed and mapped to indexes for direct calls and are otherwise only in events; batches carry indexes.
///
/// Assembly is used where Solidity has no word for it (reading packed calldata, hashing a part of the batch) and in the
/// few lines that every update passes. A twin in plain Solidity, in the tests, must agree with all of it.
contract ScoreRegistry is IScoreRegistry, AccessControlDefaultAdminRules, EIP712 {
    /// @notice Holders may create projects and apply batches.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @notice The most points of one action.
    uint256 public constant MAX_POINTS = 2 ** 31 - 1;
    /// @notice The most actions of one project, over its whole life.
    uint256 public constant MAX_ACTIONS = 200;
    /// @notice The most score types of one project, over its whole life.
    uint256 public constant MAX_SCORE_TYPES = 64;
    /// @notice The most owners and updaters, together, that a creation may name. Later additions are not bounded.
    uint256 public constant MAX_MEMBERS = 100;
    /// @notice The most bytes in the name of an action or score type.
    uint256 public constant MAX_NAME_BYTES = 64;
    /// @notice The most bytes in the name of a project.
    uint256 public constant MAX_PROJECT_NAME_BYTES = 128;

    /// @notice The role bit of an updater, as in getRoles and MemberChanged.
    uint8 public constant UPDATER = 1;
    /// @notice The role bit of an owner, as in getRoles and MemberChanged.
    uint8 public constant OWNER = 2;

    /// @dev What a member signs, as EIP-712 names it. kind is the group's, without its flags; updates is its body, with its word.
    bytes32 private constant GROUP_TYPEHASH = keccak256("UpdateGroup(bytes32 projectId,uint8 kind,bytes updates)");

    uint256 private constant KIND_WORD = 1;
    uint256 private constant KIND_RUNS = 2;
    uint256 private constant KIND_FREE = 3;
    uint256 private constant KIND_BITS = 0x0f;
    uint256 private constant SAME_PROJECT = 0x10;
    uint256 private constant SAME_SIGNER = 0x20;
    uint256 private constant SAME_WORD = 0x40;
    uint256 private constant SIGNED = 0x80;
    uint256 private constant NO_WORD = type(uint256).max;

    uint256 private constant WORD_BYTES = 31;
    uint256 private constant RECORD_BYTES = 22; // target(20) scoreType(1) action(1)
    uint256 private constant RUNS_BYTES = 2;
    uint256 private constant RUN_BYTES = 22; // target(20) scoreType(1) more(1)
    uint256 private constant LOW_ENTRY_BYTES = 2; // low(1) action(1)
    uint256 private constant FREE_ENTRY_BYTES = 33; // updateId(32) action(1)
    uint256 private constant SIGNATURE_BYTES = 64;

    /// @dev Where in a batch's cache the key of a score is put, the slot of its mapping behind: their hash is the score's slot.
    uint256 private constant KEY_AT = 0x400;

    uint256 private constant APPLIED = 0;
    uint256 private constant DUPLICATE = 1;
    uint256 private constant UNKNOWN_PROJECT = 2;
    uint256 private constant NOT_MEMBER = 3;
    uint256 private constant UNKNOWN_ACTION = 4;
    uint256 private constant UNKNOWN_SCORE_TYPE = 5;
    uint256 private constant SIGNATURE_REQUIRED = 8;
    uint256 private constant BAD_SIGNATURE = 9;

    /// @dev What is added to a score in its lane; and to all four lanes of a slot.
    uint256 private constant BIAS = 2 ** 63;
    uint256 private constant BIASES = 0x8000000000000000800000000000000080000000000000008000000000000000;

    /// @dev A member's slot: the role bits, this one when only signed groups count, and from bit 8 on the number of score types.
    uint256 private constant MEMBER_ROLES = UPDATER | OWNER;
    uint256 private constant MEMBER_SIGNED_ONLY = 4;
    uint256 private constant MEMBER_TYPES_AT = 8;

    struct Project {
        // One slot. actionCount is 0 only of a project that does not exist.
        uint64 createdBlock;
        uint32 ownerCount;
        uint32 memberCount;
        uint8 actionCount;
        uint8 scoreTypeCount;
        bool signedOnly;
        // Signed points by action index, eight to a slot; 0 where there is no action. Every byte is an index in range.
        int32[256] points;
        // See MEMBER_ROLES; 0 of everybody else.
        mapping(address member => uint256 slot) members;
        // (wallet << 8 | scoreType & 0xfc) => the lanes of four score types.
        mapping(uint256 walletAndQuad => uint256 lanes) scores;
        // (updateId >> 8) => the used ones of the 256 ids that begin so.
        mapping(uint256 word => uint256 bits) used;
        // Hash of a name => index + 1; of actions the newest of that name.
        mapping(bytes32 nameHash => uint256 indexPlusOne) actionByName;
        mapping(bytes32 nameHash => uint256 indexPlusOne) scoreTypeByName;
    }

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
        address signer;
        uint256 member; // the signer's slot in the project, as read
        uint256 word; // of the last group that had one
        uint256 types; // how many score types are known to exist
        uint256 first; // where the first run of the current group starts
        uint256[34] cache; // the project's slots of points that were read, 0 for others; then a place for a score's key
    }

    mapping(bytes32 projectId => Project project) private _projects;

    /// @param adminDelay Seconds between the announcement and the earliest acceptance of a new admin.
    /// @param admin The first admin, who grants and revokes the relayer role; a multisig, in earnest.
    /// @param relayers The first holders of the relayer role.
    constructor(uint48 adminDelay, address admin, address[] memory relayers)
        AccessControlDefaultAdminRules(adminDelay, admin)
        EIP712("Scorelay", "1")
    {
        for (uint256 i; i < relayers.length; ++i) {
            _grantRole(RELAYER_ROLE, relayers[i]);
        }
    }

    // ------------------------------------------------------------------------------------------------- projects

    /// @inheritdoc IScoreRegistry
    function createProject(
        bytes32 projectId,
        string calldata name,
        Action[] calldata actions,
        address[] calldata owners,
        address[] calldata updaters,
        string[] calldata scoreTypes,
        bool signedOnly
    ) external onlyRole(RELAYER_ROLE) {
        Project storage project = _projects[projectId];
        if (project.actionCount != 0) revert ProjectExists(projectId);
        _checkName(name, MAX_PROJECT_NAME_BYTES);
        if (actions.length == 0 || actions.length > MAX_ACTIONS) revert ActionCount(actions.length);
        if (scoreTypes.length == 0 || scoreTypes.length > MAX_SCORE_TYPES) revert ScoreTypeCount(scoreTypes.length);
        if (owners.length == 0) revert NoOwner();
        if (owners.length + updaters.length > MAX_MEMBERS) revert TooManyMembers(owners.length + updaters.length);

        for (uint256 i; i < actions.length; ++i) {
            bool renewed = _storeAction(project, i, actions[i]);
            if (renewed) revert DuplicateAction(actions[i].name);
        }
        for (uint256 i; i < scoreTypes.length; ++i) {
            _storeScoreType(project, i, scoreTypes[i]);
        }
        project.createdBlock = uint64(block.number);
        project.ownerCount = uint32(owners.length);
        project.actionCount = uint8(actions.length);
        project.scoreTypeCount = uint8(scoreTypes.length);
        project.signedOnly = signedOnly;
        uint256 memberCount = _storeMembers(project, owners, OWNER);
        project.memberCount = uint32(memberCount + _storeMembers(project, updaters, UPDATER));

        emit ProjectCreated(projectId, name, actions, owners, updaters, scoreTypes, signedOnly);
    }

    /// @inheritdoc IScoreRegistry
    function addAction(bytes32 projectId, Action calldata action) external {
        Project storage project = _ownedProject(projectId);
        uint256 index = project.actionCount;
        if (index == MAX_ACTIONS) revert ActionCount(index + 1);
        _storeAction(project, index, action);
        project.actionCount = uint8(index + 1);
        emit ActionAdded(projectId, uint8(index), action.name, action.points, action.direction);
    }

    /// @inheritdoc IScoreRegistry
    function addScoreType(bytes32 projectId, string calldata name) external {
        Project storage project = _ownedProject(projectId);
        uint256 index = project.scoreTypeCount;
        if (index == MAX_SCORE_TYPES) revert ScoreTypeCount(index + 1);
        _storeScoreType(project, index, name);
        project.scoreTypeCount = uint8(index + 1);
        emit ScoreTypeAdded(projectId, uint8(index), name);
    }

    /// @inheritdoc IScoreRegistry
    function addOwner(bytes32 projectId, address member) external {
        Project storage project = _ownedProject(projectId);
        _changeRoles(project, projectId, member, OWNER, true);
        ++project.ownerCount;
    }

    /// @inheritdoc IScoreRegistry
    function removeOwner(bytes32 projectId, address member) external {
        Project storage project = _ownedProject(projectId);
        _changeRoles(project, projectId, member, OWNER, false);
        if (project.ownerCount == 1) revert LastOwner(projectId);
        --project.ownerCount;
    }

    /// @inheritdoc IScoreRegistry
    function setSignedOnly(bytes32 projectId, bool signedOnly, address[] calldata members) external {
        Project storage project = _ownedProject(projectId);
        if (project.signedOnly == signedOnly) revert SignedOnlyUnchanged(projectId);
        for (uint256 i; i < members.length; ++i) {
            uint256 slot = project.members[members[i]];
            if (slot == 0) revert NotMember(projectId, members[i]);
            // Every member's bit is as the project's, so one that has changed already was named before.
            if ((slot & MEMBER_SIGNED_ONLY != 0) == signedOnly) revert DuplicateMember(members[i]);
            project.members[members[i]] = slot ^ MEMBER_SIGNED_ONLY;
        }
        if (members.length != project.memberCount) revert MembersMissing(members.length, project.memberCount);
        project.signedOnly = signedOnly;
        emit SignedOnlySet(projectId, signedOnly, msg.sender);
    }

    /// @inheritdoc IScoreRegistry
    function addUpdater(bytes32 projectId, address member) external {
        _changeRoles(_ownedProject(projectId), projectId, member, UPDATER, true);
    }

    /// @inheritdoc IScoreRegistry
    function removeUpdater(bytes32 projectId, address member) external {
        _changeRoles(_ownedProject(projectId), projectId, member, UPDATER, false);
    }

    // -------------------------------------------------------------------------------------------------- updates

    /// @inheritdoc IScoreRegistry
    function updateScore(
        bytes32 updateId,
        bytes32 projectId,
        string calldata actionName,
        string calldata scoreType,
        address targetWallet
    ) external {
        Project storage project = _existingProject(projectId);
        if (project.members[msg.sender] == 0) revert NotMember(projectId, msg.sender);

        uint256 word = uint256(updateId) >> 8;
        uint256 bit = 1 << (uint256(updateId) & 0xff);
        uint256 bits = project.used[word];
        if (bits & bit != 0) revert DuplicateUpdate(projectId, updateId);

        uint256 action = _actionIndex(project, actionName);
        uint256 typeIndex = _scoreTypeIndex(project, scoreType);
        project.used[word] = bits | bit;
        _addToScore(project, uint256(uint160(targetWallet)) << 8 | typeIndex, project.points[action]);

        int64 score = _score(project, targetWallet, typeIndex);
        emit ScoreUpdated(projectId, targetWallet, msg.sender, updateId, uint8(action), uint8(typeIndex), score);
    }

    /// @inheritdoc IScoreRegistry
    function applyBatch(bytes calldata data) external onlyRole(RELAYER_ROLE) {
        Batch memory b = _open(data);
        if (b.start == b.end) _badFraming(b);
        for (uint256 pos = b.start; pos < b.end;) {
            pos = _applyGroup(b, pos);
        }
        _emit(b);
    }

    /// @dev Applies the group at `pos` and tells where the next one starts. The position may run beyond the batch while records
    /// are read; then the whole call reverts, so that needs checking only once.
    function _applyGroup(Batch memory b, uint256 pos) private returns (uint256 end) {
        unchecked {
            b.group = pos;
            uint256 kind;
            (kind, pos) = _readHeader(b, pos);
            if (kind & SIGNED != 0) pos += SIGNATURE_BYTES;
            uint256 body = pos;
            if (kind & KIND_BITS != KIND_FREE && kind & SAME_WORD == 0) {
                b.word = _load(pos) >> 8;
                pos += WORD_BYTES;
            }

            uint256 outcome = _authority(b, kind);
            if (outcome != APPLIED || kind & SIGNED != 0) {
                uint256 count;
                (end, count) = _measure(b, kind & KIND_BITS, pos);
                if (end > b.end) _badFraming(b);
                if (outcome == APPLIED && !_signed(b, kind, body, end)) outcome = BAD_SIGNATURE;
                if (outcome != APPLIED) {
                    for (; count != 0; --count) {
                        _skip(b, b.done++, outcome);
                    }
                    return end;
                }
            }

            kind &= KIND_BITS;
            if (kind == KIND_WORD) end = _applyWord(b, pos);
            else if (kind == KIND_RUNS) end = _applyRuns(b, pos);
            else end = _applyFree(b, pos);
            if (end > b.end) _badFraming(b);
        }
    }

    /// @dev Reads whose group it is, up to its signature or body.
    function _readHeader(Batch memory b, uint256 pos) private view returns (uint256 kind, uint256) {
        unchecked {
            kind = _load(pos) >> 248;
            ++pos;
            uint256 form = kind & KIND_BITS;
            if (form == 0 || form > KIND_FREE) _badFraming(b);
            if (kind & SAME_WORD != 0 && (form == KIND_FREE || kind & SIGNED != 0 || b.word == NO_WORD)) {
                _badFraming(b);
            }
            uint256 same = kind & (SAME_PROJECT | SAME_SIGNER);
            if (same == SAME_PROJECT | SAME_SIGNER && b.project != 0) return (kind, pos);
            if (same != 0 && b.project == 0) _badFraming(b);

            if (kind & SAME_PROJECT == 0) {
                b.projectId = bytes32(_load(pos));
                pos += 32;
                _enterProject(b, _projects[b.projectId]);
            }
            if (kind & SAME_SIGNER == 0) {
                b.signer = address(uint160(_load(pos) >> 96));
                pos += 20;
            }
            b.member = _project(b).members[b.signer];
            b.types = b.member >> MEMBER_TYPES_AT;
            return (kind, pos);
        }
    }

    /// @dev The outcome of updates whose signer may not make them; APPLIED if it may, a signature being still to be checked.
    function _authority(Batch memory b, uint256 kind) private view returns (uint256) {
        if (b.member == 0) {
            // Only an existing project has members, so whether it exists need not be read unless there are none.
            return _project(b).actionCount == 0 ? UNKNOWN_PROJECT : NOT_MEMBER;
        }
        return b.member & MEMBER_SIGNED_ONLY != 0 && kind & SIGNED == 0 ? SIGNATURE_REQUIRED : APPLIED;
    }

    /// @dev Tells whether the signature before the body (EIP-2098) is the signer's over the group (EIP-712).
    function _signed(Batch memory b, uint256 kind, uint256 body, uint256 end) private view returns (bool) {
        unchecked {
            uint256 copied = b.copy + body - b.start;
            bytes32 updates;
            assembly ("memory-safe") {
                updates := keccak256(copied, sub(end, body))
            }
            bytes32 digest =
                _hashTypedDataV4(keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind & KIND_BITS, updates)));
            uint256 r = _load(body - SIGNATURE_BYTES);
            uint256 vs = _load(body - SIGNATURE_BYTES / 2);
            // A high s makes a second signature of the same group, which is of no use: its ids are used.
            return ecrecover(digest, uint8(27 + (vs >> 255)), bytes32(r), bytes32(vs << 1 >> 1)) == b.signer;
        }
    }

    /// @dev Tells where a body ends and how many updates it has, without looking at them. `pos` is behind its word.
    function _measure(Batch memory b, uint256 kind, uint256 pos) private pure returns (uint256 end, uint256 count) {
        unchecked {
            if (kind == KIND_WORD) {
                uint256 mask;
                (mask, pos) = _readMask(b, pos);
                count = _bits(mask);
                return (pos + count * RECORD_BYTES, count);
            }
            uint256 entryBytes = kind == KIND_RUNS ? LOW_ENTRY_BYTES : FREE_ENTRY_BYTES;
            uint256 runs;
            (runs, pos) = _readRuns(b, pos);
            for (; runs != 0; --runs) {
                uint256 n = (_load(pos) >> 80 & 0xff) + 1;
                pos += RUN_BYTES + n * entryBytes;
                count += n;
            }
            return (pos, count);
        }
    }

    /// @dev The ids of a Word group, as bits of their word.
    function _readMask(Batch memory b, uint256 pos) private pure returns (uint256 mask, uint256) {
        unchecked {
            uint256 head = _load(pos);
            uint256 start = head >> 248;
            uint256 length = head >> 240 & 0xff;
            if (start + length > 32) _badFraming(b);
            mask = _load(pos + 2) >> (256 - 8 * length) << (8 * start);
            if (mask == 0) _badFraming(b);
            return (mask, pos + 2 + length);
        }
    }

    /// @dev How many bits are set: counted in pairs of bits, in nibbles, in bytes, in 16 bits, and summed up by a multiplication.
    function _bits(uint256 x) private pure returns (uint256) {
        unchecked {
            x -= x >> 1 & type(uint256).max / 3;
            x = (x & type(uint256).max / 5) + (x >> 2 & type(uint256).max / 5);
            x = x + (x >> 4) & type(uint256).max / 17;
            x = (x & type(uint256).max / 257) + (x >> 8 & type(uint256).max / 257);
            return x * (type(uint256).max / 65535) >> 240;
        }
    }

    function _readRuns(Batch memory b, uint256 pos) private pure returns (uint256 runs, uint256) {
        unchecked {
            runs = _load(pos) >> 240;
            if (runs == 0) _badFraming(b);
            return (runs, pos + RUNS_BYTES);
        }
    }

    // The three loops below apply updates in assembly while they are plainly good: the id unused, the action's points in memory,
    // the score type known to exist. At one that is not they stop, _decide looks closely, and they go on: with that very
    // update if it is good after all (its action's slot has been read now), else after it.

    /// @dev Applies records whose ids are the set bits of a mask in their word. The bitmap is read and written once.
    function _applyWord(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 mask, uint256 first) = _readMask(b, pos);
            pos = first;
            Project storage project = _project(b);
            mapping(uint256 => uint256) storage scores = project.scores;
            uint256[34] memory cache = b.cache;
            uint256 used = project.used[b.word];
            while (true) {
                uint256 lastType = b.types - 1;
                assembly ("memory-safe") {
                    mstore(0x20, scores.slot) // for the slots of scores, with their keys at 0
                    for {} mask {} {
                        let bit := and(mask, sub(0, mask))
                        let record := calldataload(pos) // target(20) scoreType(1) action(1) …
                        // cache[action / 8], lane action % 8
                        let points := mload(add(cache, and(shr(78, record), 0x3e0)))
                        points := signextend(3, shr(and(shr(75, record), 0xe0), points))
                        if or(and(used, bit), or(iszero(points), gt(byte(20, record), lastType))) { break }
                        mask := xor(mask, bit)
                        used := or(used, bit)
                        pos := add(pos, RECORD_BYTES)
                        mstore(0, and(shr(88, record), not(3)))
                        let slot := keccak256(0, 0x40)
                        let lanes := sload(slot)
                        if iszero(lanes) { lanes := BIASES }
                        sstore(slot, add(lanes, shl(and(shr(82, record), 0xc0), points)))
                    }
                }
                if (mask == 0) break;
                uint256 update = _load(pos) >> 80;
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
            (uint256 runs, uint256 first) = _readRuns(b, pos);
            b.first = pos = first;
            uint256[34] memory cache = b.cache;
            uint256 used = _project(b).used[b.word];
            uint256 run = _load(pos); // the current one: target(20) scoreType(1) more(1) …
            uint256 n = (run >> 80 & 0xff) + 1; // how many of its updates are to come
            uint256 sum; // what those before add to its score
            uint256 skipped; // where an update is that was not good after all
            pos += RUN_BYTES;
            while (true) {
                uint256 lastType = b.types - 1;
                assembly ("memory-safe") {
                    for {} 1 {} {
                        let entry := calldataload(pos) // low(1) action(1) …
                        let bit := shl(byte(0, entry), 1)
                        // slot action / 8 of the cache, lane action % 8
                        let points := mload(add(cache, and(shr(238, entry), 0x3e0)))
                        points := signextend(3, shr(and(shr(235, entry), 0xe0), points))
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
                            let lanes := sload(slot)
                            if iszero(or(lanes, iszero(sum))) { lanes := BIASES }
                            sstore(slot, add(lanes, shl(and(shr(82, run), 0xc0), sum)))
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
                uint256 update = _load(pos) >> 240;
                uint256 index = _doneAt(b, pos, runs - 1, LOW_ENTRY_BYTES);
                bool duplicate = used >> (update >> 8) & 1 != 0;
                if (!_decide(b, index, duplicate, update & 0xff, run >> 88 & 0xff)) skipped = pos;
            }
            _project(b).used[b.word] = used;
            b.done = _doneAt(b, pos, 0, LOW_ENTRY_BYTES);
            return pos;
        }
    }

    /// @dev How many updates of the batch are before the one at `pos`, with so many runs to come after its own.
    function _doneAt(Batch memory b, uint256 pos, uint256 runs, uint256 entryBytes) private pure returns (uint256) {
        unchecked {
            uint256 all = _load(b.first - RUNS_BYTES) >> 240;
            return b.done + (pos - b.first - (all - runs) * RUN_BYTES) / entryBytes;
        }
    }

    /// @dev Applies runs of any ids, each with a bitmap slot of its own as far as we know. The score of each run is read and
    /// written once.
    function _applyFree(Batch memory b, uint256 pos) private returns (uint256) {
        unchecked {
            (uint256 runs, uint256 first) = _readRuns(b, pos);
            b.first = pos = first;
            uint256[34] memory cache = b.cache;
            mapping(uint256 => uint256) storage used = _project(b).used;
            uint256 run = _load(pos); // this and the next as in _applyRuns
            uint256 n = (run >> 80 & 0xff) + 1;
            uint256 sum;
            uint256 skipped;
            pos += RUN_BYTES;
            while (true) {
                uint256 lastType = b.types - 1;
                assembly ("memory-safe") {
                    mstore(0x20, used.slot) // for the slots of words, with their keys at 0
                    for {} 1 {} {
                        mstore(0, shr(8, calldataload(pos))) // updateId(32)
                        let slot := keccak256(0, 0x40)
                        let bits := sload(slot)
                        let entry := calldataload(add(pos, 1)) // updateId(31) action(1)
                        let bit := shl(byte(30, entry), 1)
                        // slot action / 8 of the cache, lane action % 8
                        let points := mload(add(cache, and(shl(2, entry), 0x3e0)))
                        points := signextend(3, shr(and(shl(5, entry), 0xe0), points))
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
                        let lanes := sload(slot)
                        if iszero(or(lanes, iszero(sum))) { lanes := BIASES }
                        sstore(slot, add(lanes, shl(and(shr(82, run), 0xc0), sum)))
                        runs := sub(runs, 1)
                        if iszero(runs) { break }
                        sum := 0
                        run := calldataload(pos)
                        n := add(byte(21, run), 1)
                        pos := add(pos, RUN_BYTES)
                    }
                }
                if (runs == 0) break;
                uint256 id = _load(pos);
                uint256 index = _doneAt(b, pos, runs - 1, FREE_ENTRY_BYTES);
                bool duplicate = used[id >> 8] >> (id & 0xff) & 1 != 0;
                if (!_decide(b, index, duplicate, _load(pos + 32) >> 248, run >> 88 & 0xff)) skipped = pos;
            }
            b.done = _doneAt(b, pos, 0, FREE_ENTRY_BYTES);
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
            _skip(b, index, DUPLICATE);
            return false;
        }
        Project storage project = _project(b);
        int32[256] storage actions = project.points;
        uint256[34] memory cache = b.cache;
        int256 points;
        assembly ("memory-safe") {
            let slot := sload(add(actions.slot, shr(3, action)))
            mstore(add(cache, shl(5, shr(3, action))), slot)
            points := signextend(3, shr(shl(5, and(action, 7)), slot))
        }
        if (points == 0) {
            _skip(b, index, UNKNOWN_ACTION);
            return false;
        }
        if (typeIndex >= b.types) b.types = project.scoreTypeCount;
        if (typeIndex < b.types) return true;
        _skip(b, index, UNKNOWN_SCORE_TYPE);
        return false;
    }

    /// @dev Adds points to the score of a wallet and score type, given as wallet << 8 | scoreType. The lane neither overflows nor
    /// underflows (see the contract's comment), so its neighbours stay as they are.
    function _addToScore(Project storage project, uint256 targetAndType, int256 points) private {
        mapping(uint256 => uint256) storage scores = project.scores;
        assembly ("memory-safe") {
            // scores[targetAndType & ~3], whose slot is computed once
            mstore(0, and(targetAndType, not(3)))
            mstore(0x20, scores.slot)
            let slot := keccak256(0, 0x40)
            let lanes := sload(slot)
            if iszero(lanes) { lanes := BIASES }
            sstore(slot, add(lanes, shl(shl(6, and(targetAndType, 3)), points)))
        }
    }

    // ---------------------------------------------------------------------------------------- a batch in memory

    function _open(bytes calldata data) private pure returns (Batch memory b) {
        b.word = NO_WORD;
        uint256 start;
        uint256 copy;
        assembly ("memory-safe") {
            // The event as it will be logged: two offsets, data, outcomes. No update takes less than two bytes of data.
            let padded := and(add(data.length, 31), not(31))
            let log := mload(0x40)
            start := data.offset
            copy := add(log, 0x60)
            mstore(log, 0x40)
            mstore(add(log, 0x20), add(0x60, padded))
            mstore(add(log, add(0x40, padded)), 0) // the padding; the length below if there is no data
            mstore(add(log, 0x40), data.length)
            calldatacopy(copy, start, data.length)
            mstore(0x40, add(copy, add(padded, add(0x40, padded))))
        }
        b.start = start;
        b.group = start;
        b.end = start + data.length;
        b.copy = copy;
        b.outcomes = copy + ((data.length + 31) & ~uint256(31)) + 32;
    }

    function _emit(Batch memory b) private {
        bytes32 topic = BatchApplied.selector;
        uint256 count = b.skipped ? b.done : 0;
        uint256 log = b.copy - 0x60;
        uint256 outcomes = b.outcomes;
        assembly ("memory-safe") {
            mstore(sub(outcomes, 0x20), count)
            log1(log, sub(add(outcomes, and(add(count, 31), not(31))), log), topic)
        }
    }

    /// @dev Notes why an update was not applied. Returns 0, the points it brings.
    function _skip(Batch memory b, uint256 index, uint256 outcome) private pure returns (int256) {
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
        return 0;
    }

    function _badFraming(Batch memory b) private pure {
        revert BadFraming(b.group - b.start);
    }

    function _project(Batch memory b) private pure returns (Project storage project) {
        uint256 slot = b.project;
        assembly ("memory-safe") {
            project.slot := slot
        }
    }

    /// @dev Makes the cache that of another project.
    function _enterProject(Batch memory b, Project storage project) private view {
        mapping(uint256 => uint256) storage scores = project.scores;
        uint256[34] memory cache = b.cache;
        uint256 slot;
        assembly ("memory-safe") {
            slot := project.slot
            calldatacopy(cache, calldatasize(), KEY_AT)
            mstore(add(cache, add(KEY_AT, 0x20)), scores.slot)
        }
        b.project = slot;
    }

    // ---------------------------------------------------------------------------------------------------- views

    /// @inheritdoc IScoreRegistry
    function getProject(bytes32 projectId) external view returns (ProjectInfo memory) {
        Project storage project = _projects[projectId];
        return ProjectInfo({
            createdBlock: project.createdBlock,
            ownerCount: project.ownerCount,
            memberCount: project.memberCount,
            actionCount: project.actionCount,
            scoreTypeCount: project.scoreTypeCount,
            signedOnly: project.signedOnly
        });
    }

    /// @inheritdoc IScoreRegistry
    function getRoles(bytes32 projectId, address[] calldata accounts) external view returns (uint8[] memory roles) {
        Project storage project = _projects[projectId];
        roles = new uint8[](accounts.length);
        for (uint256 i; i < accounts.length; ++i) {
            roles[i] = uint8(project.members[accounts[i]] & MEMBER_ROLES);
        }
    }

    /// @inheritdoc IScoreRegistry
    function getActions(bytes32 projectId) external view returns (int64[] memory deltas) {
        Project storage project = _projects[projectId];
        deltas = new int64[](project.actionCount);
        for (uint256 i; i < deltas.length; ++i) {
            deltas[i] = project.points[i];
        }
    }

    /// @inheritdoc IScoreRegistry
    function getActionIndex(bytes32 projectId, string calldata name) external view returns (uint8) {
        return uint8(_actionIndex(_projects[projectId], name));
    }

    /// @inheritdoc IScoreRegistry
    function getScoreTypeIndex(bytes32 projectId, string calldata name) external view returns (uint8) {
        return uint8(_scoreTypeIndex(_projects[projectId], name));
    }

    /// @inheritdoc IScoreRegistry
    function getUsed(bytes32 projectId, bytes32[] calldata updateIds) external view returns (bool[] memory used) {
        Project storage project = _projects[projectId];
        used = new bool[](updateIds.length);
        for (uint256 i; i < updateIds.length; ++i) {
            uint256 id = uint256(updateIds[i]);
            used[i] = project.used[id >> 8] >> (id & 0xff) & 1 == 1;
        }
    }

    /// @inheritdoc IScoreRegistry
    function getScore(bytes32 projectId, address wallet, string calldata scoreType) external view returns (int64) {
        Project storage project = _projects[projectId];
        return _score(project, wallet, _scoreTypeIndex(project, scoreType));
    }

    /// @inheritdoc IScoreRegistry
    function getWalletScores(bytes32 projectId, address wallet) external view returns (int64[] memory scores) {
        Project storage project = _projects[projectId];
        scores = new int64[](project.scoreTypeCount);
        for (uint256 i; i < scores.length; ++i) {
            scores[i] = _score(project, wallet, i);
        }
    }

    /// @inheritdoc IScoreRegistry
    function getScores(bytes32 projectId, address[] calldata wallets, uint8[] calldata scoreTypes)
        external
        view
        returns (int64[] memory scores)
    {
        if (wallets.length != scoreTypes.length) revert LengthMismatch(wallets.length, scoreTypes.length);
        Project storage project = _projects[projectId];
        scores = new int64[](wallets.length);
        for (uint256 i; i < wallets.length; ++i) {
            scores[i] = _score(project, wallets[i], scoreTypes[i]);
        }
    }

    /// @notice ERC-165: this interface and those of OpenZeppelin's access control.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IScoreRegistry).interfaceId || super.supportsInterface(interfaceId);
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _existingProject(bytes32 projectId) private view returns (Project storage project) {
        project = _projects[projectId];
        if (project.actionCount == 0) revert UnknownProject(projectId);
    }

    function _ownedProject(bytes32 projectId) private view returns (Project storage project) {
        project = _existingProject(projectId);
        if (project.members[msg.sender] & OWNER == 0) revert NotOwner(projectId, msg.sender);
    }

    /// @dev Checks and stores an action, and tells whether its name had been used before.
    function _storeAction(Project storage project, uint256 index, Action calldata action)
        private
        returns (bool renewed)
    {
        _checkName(action.name, MAX_NAME_BYTES);
        if (action.points == 0 || action.points > MAX_POINTS) revert PointsOutOfRange(action.points);
        if (action.direction > 1) revert InvalidDirection(action.direction);
        bytes32 nameHash = keccak256(bytes(action.name));
        renewed = project.actionByName[nameHash] != 0;
        project.actionByName[nameHash] = index + 1;
        int32 points = int32(action.points);
        project.points[index] = action.direction == 0 ? points : -points;
    }

    function _storeScoreType(Project storage project, uint256 index, string calldata name) private {
        _checkName(name, MAX_NAME_BYTES);
        bytes32 nameHash = keccak256(bytes(name));
        if (project.scoreTypeByName[nameHash] != 0) revert DuplicateScoreType(name);
        project.scoreTypeByName[nameHash] = index + 1;
    }

    /// @dev Gives the role to each, and tells how many of them were no members before.
    function _storeMembers(Project storage project, address[] calldata members, uint8 role)
        private
        returns (uint256 added)
    {
        for (uint256 i; i < members.length; ++i) {
            address member = members[i];
            if (member == address(0)) revert ZeroMember();
            uint256 roles = project.members[member] & MEMBER_ROLES;
            if (roles & role != 0) revert DuplicateMember(member);
            if (roles == 0) ++added;
            project.members[member] = _memberSlot(project, roles | role);
        }
    }

    /// @dev Gives or takes one role bit.
    function _changeRoles(Project storage project, bytes32 projectId, address member, uint8 role, bool give) private {
        if (member == address(0)) revert ZeroMember();
        uint256 before = project.members[member] & MEMBER_ROLES;
        if ((before & role != 0) == give) revert RoleUnchanged(projectId, member);
        uint256 roles = before ^ role;
        if (before == 0) ++project.memberCount;
        if (roles == 0) --project.memberCount;
        project.members[member] = roles == 0 ? 0 : _memberSlot(project, roles);
        emit MemberChanged(projectId, member, uint8(roles), msg.sender);
    }

    /// @dev The slot of a member with these roles, as the project is now.
    function _memberSlot(Project storage project, uint256 roles) private view returns (uint256) {
        return
            roles | (project.signedOnly ? MEMBER_SIGNED_ONLY : 0) | uint256(project.scoreTypeCount) << MEMBER_TYPES_AT;
    }

    function _actionIndex(Project storage project, string calldata name) private view returns (uint256) {
        uint256 indexPlusOne = project.actionByName[keccak256(bytes(name))];
        if (indexPlusOne == 0) revert UnknownAction(name);
        return indexPlusOne - 1;
    }

    function _scoreTypeIndex(Project storage project, string calldata name) private view returns (uint256) {
        uint256 indexPlusOne = project.scoreTypeByName[keccak256(bytes(name))];
        if (indexPlusOne == 0) revert UnknownScoreType(name);
        return indexPlusOne - 1;
    }

    function _score(Project storage project, address wallet, uint256 typeIndex) private view returns (int64) {
        uint256 lanes = project.scores[_scoreKey(wallet, typeIndex)];
        if (lanes == 0) return 0;
        return int64(int256(uint256(uint64(lanes >> ((typeIndex & 3) << 6)))) - int256(BIAS));
    }

    function _scoreKey(address wallet, uint256 typeIndex) private pure returns (uint256) {
        return uint256(uint160(wallet)) << 8 | typeIndex & 0xfc;
    }

    function _checkName(string calldata name, uint256 max) private pure {
        uint256 length = bytes(name).length;
        if (length == 0 || length > max) revert NameLength(length, max);
    }

    /// @dev 32 bytes of the calldata; those beyond its end are zero.
    function _load(uint256 pos) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(pos)
        }
    }
}
