// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";

/// @title ScoreRegistry
/// @notice See {IScoreRegistry}. The contract is immutable and calls no other contract. Its admin grants and revokes the
/// relayer role, and can do nothing to projects or scores; who becomes admin changes only after a delay.
///
/// @dev Cost decides the storage. One update of an existing wallet in a batch of consecutive ids should pay for one score slot
/// and little else:
///  - updateIds are a bitmap: id >> 8 names a slot, the id's last byte a bit in it. Exact for every 32-byte id, in any order;
///    consecutive ids share slots, random ids pay a fresh slot each.
///  - four scores of a wallet share a slot as 64-bit lanes. A lane holds score + 2^63, so that 0 means "never touched", a score
///    back at 0 does not clear its slot (and pay for a fresh one later), and signed points are added to the whole slot at
///    once: no lane ever leaves 1 … 2^64 - 1, so nothing carries over into its neighbour. Points below 2^31 see to that: it
///    takes 2^32 updates of one score to reach the end of its lane.
///  - names are hashed and mapped to indexes for direct calls and are otherwise only in events; batches carry indexes.
contract ScoreRegistry is IScoreRegistry, AccessControlDefaultAdminRules {
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

    uint256 private constant KIND_WORD = 1;
    uint256 private constant KIND_FREE = 2;
    uint256 private constant GROUP_BYTES = 32 + 20 + 1 + 2;
    uint256 private constant WORD_BYTES = 31;
    uint256 private constant WORD_RECORD_BYTES = 1 + 20 + 1 + 1;
    uint256 private constant FREE_RECORD_BYTES = 32 + 20 + 1 + 1;

    uint256 private constant APPLIED = 0;
    uint256 private constant DUPLICATE = 1;
    uint256 private constant UNKNOWN_PROJECT = 2;
    uint256 private constant NOT_MEMBER = 3;
    uint256 private constant UNKNOWN_ACTION = 4;
    uint256 private constant UNKNOWN_SCORE_TYPE = 5;

    /// @dev What is added to a score in its lane.
    uint256 private constant BIAS = 2 ** 63;

    struct Project {
        // One slot, read once per group. actionCount is 0 only of a project that does not exist.
        uint64 createdBlock;
        uint32 ownerCount;
        uint8 actionCount;
        uint8 scoreTypeCount;
        // Signed points by action index, four to a slot.
        int64[MAX_ACTIONS] deltas;
        mapping(address member => uint8 roles) roles;
        // (wallet << 8 | scoreType >> 2) => the lanes of four score types.
        mapping(uint256 walletAndQuad => uint256 lanes) scores;
        // (updateId >> 8) => the used ones of the 256 ids that begin so.
        mapping(uint256 word => uint256 bits) used;
        // Hash of a name => index + 1; of actions the newest of that name.
        mapping(bytes32 nameHash => uint256 indexPlusOne) actionByName;
        mapping(bytes32 nameHash => uint256 indexPlusOne) scoreTypeByName;
    }

    mapping(bytes32 projectId => Project project) private _projects;

    /// @param adminDelay Seconds between the announcement and the earliest acceptance of a new admin.
    /// @param admin The first admin, who grants and revokes the relayer role; a multisig, in earnest.
    /// @param relayers The first holders of the relayer role.
    constructor(uint48 adminDelay, address admin, address[] memory relayers)
        AccessControlDefaultAdminRules(adminDelay, admin)
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
        string[] calldata scoreTypes
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
        _storeMembers(project, owners, OWNER);
        _storeMembers(project, updaters, UPDATER);
        project.createdBlock = uint64(block.number);
        project.ownerCount = uint32(owners.length);
        project.actionCount = uint8(actions.length);
        project.scoreTypeCount = uint8(scoreTypes.length);

        emit ProjectCreated(projectId, name, actions, owners, updaters, scoreTypes);
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
        if (project.roles[msg.sender] == 0) revert NotMember(projectId, msg.sender);

        uint256 word = uint256(updateId) >> 8;
        uint256 bit = 1 << (uint256(updateId) & 0xff);
        uint256 bits = project.used[word];
        if (bits & bit != 0) revert DuplicateUpdate(projectId, updateId);

        uint256 action = _actionIndex(project, actionName);
        uint256 typeIndex = _scoreTypeIndex(project, scoreType);
        project.used[word] = bits | bit;
        _addToScore(project, uint160(targetWallet), action, typeIndex);

        int64 score = _score(project, targetWallet, typeIndex);
        emit ScoreUpdated(projectId, targetWallet, msg.sender, updateId, uint8(action), uint8(typeIndex), score);
    }

    /// @inheritdoc IScoreRegistry
    function applyBatch(bytes calldata data) external onlyRole(RELAYER_ROLE) {
        if (data.length == 0) revert BadFraming(0);
        // One zero byte for each update there could be; cut to size at the end.
        bytes memory outcomes = new bytes(data.length / WORD_RECORD_BYTES);
        uint256 done;
        bool skipped;
        for (uint256 pos; pos < data.length;) {
            bool skippedHere;
            (pos, done, skippedHere) = _applyGroup(data, pos, outcomes, done);
            skipped = skipped || skippedHere;
        }
        if (!skipped) done = 0;
        assembly ("memory-safe") {
            mstore(outcomes, done)
        }
        emit BatchApplied(data, outcomes);
    }

    /// @dev Applies the group that starts at `pos`, whose first update is the `done`-th of the batch.
    /// @return Where the next group starts, the updates done so far, and whether one of this group was skipped.
    function _applyGroup(bytes calldata data, uint256 pos, bytes memory outcomes, uint256 done)
        private
        returns (uint256, uint256, bool)
    {
        unchecked {
            if (data.length - pos < GROUP_BYTES) revert BadFraming(pos);
            Project storage project = _projects[_load(data, pos)];
            uint256 header = uint256(_load(data, pos + 32));
            address signer = address(uint160(header >> 96));
            uint256 kind = (header >> 88) & 0xff;
            uint256 count = (header >> 72) & 0xffff;

            uint256 first = pos + GROUP_BYTES + (kind == KIND_WORD ? WORD_BYTES : 0);
            uint256 end = first + count * (kind == KIND_WORD ? WORD_RECORD_BYTES : FREE_RECORD_BYTES);
            if (count == 0 || end > data.length || (kind != KIND_WORD && kind != KIND_FREE)) revert BadFraming(pos);

            bool skipped;
            if (project.roles[signer] == 0) {
                // Only an existing project has members, so whether it exists need not be read unless there are none.
                uint256 outcome = project.actionCount == 0 ? UNKNOWN_PROJECT : NOT_MEMBER;
                for (uint256 i; i < count; ++i) {
                    outcomes[done + i] = bytes1(uint8(outcome));
                }
                skipped = true;
            } else if (kind == KIND_WORD) {
                skipped = _applyWord(data, first, end, project, outcomes, done);
            } else {
                skipped = _applyFree(data, first, end, project, outcomes, done);
            }
            return (end, done + count, skipped);
        }
    }

    /// @dev The records from `pos` to `end` have ids of one word, whose 31 bytes stand before them: its bitmap is read and
    /// written once.
    function _applyWord(
        bytes calldata data,
        uint256 pos,
        uint256 end,
        Project storage project,
        bytes memory outcomes,
        uint256 done
    ) private returns (bool skipped) {
        unchecked {
            uint256 word = uint256(_load(data, pos - WORD_BYTES)) >> 8;
            (uint256 actions, uint256 types) = (project.actionCount, project.scoreTypeCount);
            uint256 used = project.used[word];
            uint256 bits = used;
            for (; pos < end; pos += WORD_RECORD_BYTES) {
                uint256 record = uint256(_load(data, pos)); // low(1) target(20) action(1) scoreType(1) …
                uint256 bit = 1 << (record >> 248);
                uint256 outcome = bits & bit != 0 ? DUPLICATE : _apply(project, record >> 72, actions, types);
                if (outcome == APPLIED) {
                    bits |= bit;
                } else {
                    outcomes[done] = bytes1(uint8(outcome));
                    skipped = true;
                }
                ++done;
            }
            if (bits != used) project.used[word] = bits;
        }
    }

    /// @dev The records from `pos` to `end` each bring their whole id.
    function _applyFree(
        bytes calldata data,
        uint256 pos,
        uint256 end,
        Project storage project,
        bytes memory outcomes,
        uint256 done
    ) private returns (bool skipped) {
        unchecked {
            (uint256 actions, uint256 types) = (project.actionCount, project.scoreTypeCount);
            for (; pos < end; pos += FREE_RECORD_BYTES) {
                uint256 id = uint256(_load(data, pos));
                uint256 record = uint256(_load(data, pos + 32)); // target(20) action(1) scoreType(1) …
                uint256 bit = 1 << (id & 0xff);
                uint256 bits = project.used[id >> 8];
                uint256 outcome = bits & bit != 0 ? DUPLICATE : _apply(project, record >> 80, actions, types);
                if (outcome == APPLIED) {
                    project.used[id >> 8] = bits | bit;
                } else {
                    outcomes[done] = bytes1(uint8(outcome));
                    skipped = true;
                }
                ++done;
            }
        }
    }

    /// @dev Applies one record, given as its 22 low bytes: target(20) action(1) scoreType(1).
    function _apply(Project storage project, uint256 record, uint256 actions, uint256 types)
        private
        returns (uint256 outcome)
    {
        uint256 action = (record >> 8) & 0xff;
        uint256 typeIndex = record & 0xff;
        if (action >= actions) return UNKNOWN_ACTION;
        if (typeIndex >= types) return UNKNOWN_SCORE_TYPE;
        _addToScore(project, uint160(record >> 16), action, typeIndex);
        return APPLIED;
    }

    /// @dev Adds an existing action's points to the wallet's score of an existing score type.
    function _addToScore(Project storage project, uint160 wallet, uint256 action, uint256 typeIndex) private {
        unchecked {
            uint256 key = _scoreKey(wallet, typeIndex);
            uint256 shift = (typeIndex & 3) << 6;
            uint256 lanes = project.scores[key];
            if (uint64(lanes >> shift) == 0) lanes |= BIAS << shift;
            // The lane neither overflows nor underflows (see the contract's comment), so its neighbours stay as they are.
            project.scores[key] = lanes + (uint256(int256(project.deltas[action])) << shift);
        }
    }

    // ---------------------------------------------------------------------------------------------------- views

    /// @inheritdoc IScoreRegistry
    function getProject(bytes32 projectId) external view returns (ProjectInfo memory) {
        Project storage project = _projects[projectId];
        return ProjectInfo(project.createdBlock, project.ownerCount, project.actionCount, project.scoreTypeCount);
    }

    /// @inheritdoc IScoreRegistry
    function getRoles(bytes32 projectId, address[] calldata accounts) external view returns (uint8[] memory roles) {
        Project storage project = _projects[projectId];
        roles = new uint8[](accounts.length);
        for (uint256 i; i < accounts.length; ++i) {
            roles[i] = project.roles[accounts[i]];
        }
    }

    /// @inheritdoc IScoreRegistry
    function getActions(bytes32 projectId) external view returns (int64[] memory deltas) {
        Project storage project = _projects[projectId];
        deltas = new int64[](project.actionCount);
        for (uint256 i; i < deltas.length; ++i) {
            deltas[i] = project.deltas[i];
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
        if (project.roles[msg.sender] & OWNER == 0) revert NotOwner(projectId, msg.sender);
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
        int64 points = int64(uint64(action.points));
        project.deltas[index] = action.direction == 0 ? points : -points;
    }

    function _storeScoreType(Project storage project, uint256 index, string calldata name) private {
        _checkName(name, MAX_NAME_BYTES);
        bytes32 nameHash = keccak256(bytes(name));
        if (project.scoreTypeByName[nameHash] != 0) revert DuplicateScoreType(name);
        project.scoreTypeByName[nameHash] = index + 1;
    }

    function _storeMembers(Project storage project, address[] calldata members, uint8 role) private {
        for (uint256 i; i < members.length; ++i) {
            address member = members[i];
            if (member == address(0)) revert ZeroMember();
            uint8 roles = project.roles[member];
            if (roles & role != 0) revert DuplicateMember(member);
            project.roles[member] = roles | role;
        }
    }

    /// @dev Gives or takes one role bit.
    function _changeRoles(Project storage project, bytes32 projectId, address member, uint8 role, bool give) private {
        if (member == address(0)) revert ZeroMember();
        uint8 roles = project.roles[member];
        if ((roles & role != 0) == give) revert RoleUnchanged(projectId, member);
        roles ^= role;
        project.roles[member] = roles;
        emit MemberChanged(projectId, member, roles, msg.sender);
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
        uint256 lanes = project.scores[_scoreKey(uint160(wallet), typeIndex)];
        uint64 lane = uint64(lanes >> ((typeIndex & 3) << 6));
        return lane == 0 ? int64(0) : int64(int256(uint256(lane)) - int256(BIAS));
    }

    function _scoreKey(uint160 wallet, uint256 typeIndex) private pure returns (uint256) {
        return uint256(wallet) << 8 | typeIndex >> 2;
    }

    function _checkName(string calldata name, uint256 max) private pure {
        uint256 length = bytes(name).length;
        if (length == 0 || length > max) revert NameLength(length, max);
    }

    /// @dev The 32 bytes from `pos`; those beyond the calldata's end are zero.
    function _load(bytes calldata data, uint256 pos) private pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := calldataload(add(data.offset, pos))
        }
    }
}
