// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";

/// @dev Stores, creates and looks up projects; {Edits} and {Batches} build on it.
abstract contract Projects is IScoreRegistry, AccessControlDefaultAdminRules {
    /// @notice Holders may create projects and apply batches.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @notice Maximum points of one action.
    uint256 public constant MAX_POINTS = 2 ** 31 - 1;
    /// @notice Maximum actions of one project, over its whole life.
    uint256 public constant MAX_ACTIONS = 200;
    /// @notice Maximum score types of one project, over its whole life.
    uint256 public constant MAX_SCORE_TYPES = 64;
    /// @notice Maximum owners and updaters, together, of a creation. Later additions are unlimited.
    uint256 public constant MAX_MEMBERS = 100;
    /// @notice Maximum bytes in the name of an action or score type.
    uint256 public constant MAX_NAME_BYTES = 64;
    /// @notice Maximum bytes in the name of a project.
    uint256 public constant MAX_PROJECT_NAME_BYTES = 128;

    /// @notice An updater's role bit, as in getRoles and MemberChanged.
    uint8 public constant UPDATER = 1;
    /// @notice An owner's role bit, as in getRoles and MemberChanged.
    uint8 public constant OWNER = 2;

    /// @dev BIAS is added to a score in its field, BIASES to all four fields of a slot.
    uint256 internal constant BIAS = 2 ** 63;
    uint256 internal constant BIASES = 0x8000000000000000800000000000000080000000000000008000000000000000;

    struct Project {
        // Each batch header that names the project reads the first slot. It contains the counts, which take one field
        // of 32 bits, and the signed points of the first seven actions, one field each. actionCount is 0 only if the
        // project does not exist.
        uint16 actionCount;
        uint8 scoreTypeCount;
        bool signedOnly;
        uint224 firstPoints;
        // The signed points of further actions, eight to a slot; 0 if there is no action.
        uint256[25] morePoints;
        // One slot, which no batch reads.
        uint64 createdBlock;
        uint32 ownerCount;
        uint64 editNonce;
        // Role bits; 0 if the account is not a member.
        mapping(address member => uint8 roles) members;
        // (wallet << 8 | scoreType & 0xfc) => the fields of four score types.
        mapping(uint256 walletAndQuad => uint256 fields) scores;
        // (updateId >> 8) => bitmap of used ids among the 256 with this prefix.
        mapping(uint256 word => uint256 bits) used;
        // Hash of a name => index + 1; for actions, of the newest with that name.
        mapping(bytes32 nameHash => uint256 indexPlusOne) actionByName;
        mapping(bytes32 nameHash => uint256 indexPlusOne) scoreTypeByName;
    }

    mapping(bytes32 projectId => Project project) internal _projects;

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
            Action calldata action = actions[i];
            bool renewed = _storeAction(project, i, action.name, action.points, action.direction);
            if (renewed) revert DuplicateAction(action.name);
        }
        for (uint256 i; i < scoreTypes.length; ++i) {
            _storeScoreType(project, i, scoreTypes[i]);
        }
        project.createdBlock = uint64(block.number);
        project.ownerCount = uint32(owners.length);
        project.actionCount = uint16(actions.length);
        project.scoreTypeCount = uint8(scoreTypes.length);
        project.signedOnly = signedOnly;
        _storeMembers(project, owners, OWNER);
        _storeMembers(project, updaters, UPDATER);

        emit ProjectCreated(projectId, name, actions, owners, updaters, scoreTypes, signedOnly);
    }

    // ---------------------------------------------------------------------------------------------------- views

    /// @inheritdoc IScoreRegistry
    function getProject(bytes32 projectId) external view returns (ProjectInfo memory) {
        Project storage project = _projects[projectId];
        return ProjectInfo({
            createdBlock: project.createdBlock,
            ownerCount: project.ownerCount,
            editNonce: project.editNonce,
            actionCount: uint8(project.actionCount),
            scoreTypeCount: project.scoreTypeCount,
            signedOnly: project.signedOnly
        });
    }

    /// @inheritdoc IScoreRegistry
    function getRoles(bytes32 projectId, address[] calldata accounts) external view returns (uint8[] memory roles) {
        Project storage project = _projects[projectId];
        roles = new uint8[](accounts.length);
        for (uint256 i; i < accounts.length; ++i) {
            roles[i] = project.members[accounts[i]];
        }
    }

    /// @inheritdoc IScoreRegistry
    function getActions(bytes32 projectId) external view returns (int64[] memory deltas) {
        Project storage project = _projects[projectId];
        deltas = new int64[](project.actionCount);
        for (uint256 i; i < deltas.length; ++i) {
            deltas[i] = _points(project, i);
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

    // -------------------------------------------------------------------------------------------------- helpers

    function _existingProject(bytes32 projectId) internal view returns (Project storage project) {
        project = _projects[projectId];
        if (project.actionCount == 0) revert UnknownProject(projectId);
    }

    /// @dev Validates and stores an action, and returns whether its name was already in use.
    function _storeAction(
        Project storage project,
        uint256 index,
        string calldata name,
        uint256 points,
        uint256 direction
    ) internal returns (bool renewed) {
        _checkName(name, MAX_NAME_BYTES);
        if (points == 0 || points > MAX_POINTS) revert PointsOutOfRange(points);
        if (direction > 1) revert InvalidDirection(direction);
        bytes32 nameHash = keccak256(bytes(name));
        renewed = project.actionByName[nameHash] != 0;
        project.actionByName[nameHash] = index + 1;
        uint256 field = direction == 0 ? points : 2 ** 32 - points;
        assembly ("memory-safe") {
            // The field is 0: actions never change.
            let slot := add(project.slot, shr(3, add(index, 1)))
            sstore(slot, or(sload(slot), shl(shl(5, and(add(index, 1), 7)), field)))
        }
    }

    /// @dev Returns the signed points of an existing action. Action i has field i + 1, since the counts take the
    /// first.
    function _points(Project storage project, uint256 index) internal view returns (int32 points) {
        assembly ("memory-safe") {
            let slot := add(project.slot, shr(3, add(index, 1)))
            points := signextend(3, shr(shl(5, and(add(index, 1), 7)), sload(slot)))
        }
    }

    function _storeScoreType(Project storage project, uint256 index, string calldata name) internal {
        _checkName(name, MAX_NAME_BYTES);
        bytes32 nameHash = keccak256(bytes(name));
        if (project.scoreTypeByName[nameHash] != 0) revert DuplicateScoreType(name);
        project.scoreTypeByName[nameHash] = index + 1;
    }

    /// @dev Adds the role to each member.
    function _storeMembers(Project storage project, address[] calldata members, uint8 role) internal {
        for (uint256 i; i < members.length; ++i) {
            address member = members[i];
            if (member == address(0)) revert ZeroMember();
            uint8 roles = project.members[member];
            if (roles & role != 0) revert DuplicateMember(member);
            project.members[member] = roles | role;
        }
    }

    function _actionIndex(Project storage project, string calldata name) internal view returns (uint256) {
        uint256 indexPlusOne = project.actionByName[keccak256(bytes(name))];
        if (indexPlusOne == 0) revert UnknownAction(name);
        return indexPlusOne - 1;
    }

    function _scoreTypeIndex(Project storage project, string calldata name) internal view returns (uint256) {
        uint256 indexPlusOne = project.scoreTypeByName[keccak256(bytes(name))];
        if (indexPlusOne == 0) revert UnknownScoreType(name);
        return indexPlusOne - 1;
    }

    function _score(Project storage project, address wallet, uint256 typeIndex) internal view returns (int64) {
        uint256 fields = project.scores[_scoreKey(wallet, typeIndex)];
        if (fields == 0) return 0;
        return int64(int256(uint256(uint64(fields >> ((typeIndex & 3) << 6)))) - int256(BIAS));
    }

    function _scoreKey(address wallet, uint256 typeIndex) internal pure returns (uint256) {
        return uint256(uint160(wallet)) << 8 | typeIndex & 0xfc;
    }

    function _checkName(string calldata name, uint256 max) internal pure {
        uint256 length = bytes(name).length;
        if (length == 0 || length > max) revert NameLength(length, max);
    }
}
