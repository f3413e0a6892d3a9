// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";

/// @dev Projects as they are stored, created, edited and looked up; the part of {ScoreRegistry} without updates.
abstract contract Projects is IScoreRegistry, AccessControlDefaultAdminRules {
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

    /// @dev A member's slot: the role bits, this one when only signed groups count, and from bit 8 on the number of score types.
    uint256 internal constant MEMBER_ROLES = UPDATER | OWNER;
    uint256 internal constant MEMBER_SIGNED_ONLY = 4;
    uint256 internal constant MEMBER_TYPES_AT = 8;

    /// @dev What is added to a score in its field; and to all four fields of a slot.
    uint256 internal constant BIAS = 2 ** 63;
    uint256 internal constant BIASES = 0x8000000000000000800000000000000080000000000000008000000000000000;

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
        // (wallet << 8 | scoreType & 0xfc) => the fields of four score types.
        mapping(uint256 walletAndQuad => uint256 fields) scores;
        // (updateId >> 8) => the used ones of the 256 ids that begin so.
        mapping(uint256 word => uint256 bits) used;
        // Hash of a name => index + 1; of actions the newest of that name.
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
        // Members after the project: their slots repeat some of it.
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

    // -------------------------------------------------------------------------------------------------- helpers

    function _existingProject(bytes32 projectId) internal view returns (Project storage project) {
        project = _projects[projectId];
        if (project.actionCount == 0) revert UnknownProject(projectId);
    }

    function _ownedProject(bytes32 projectId) internal view returns (Project storage project) {
        project = _existingProject(projectId);
        if (project.members[msg.sender] & OWNER == 0) revert NotOwner(projectId, msg.sender);
    }

    /// @dev Checks and stores an action, and tells whether its name had been used before.
    function _storeAction(Project storage project, uint256 index, Action calldata action)
        internal
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

    function _storeScoreType(Project storage project, uint256 index, string calldata name) internal {
        _checkName(name, MAX_NAME_BYTES);
        bytes32 nameHash = keccak256(bytes(name));
        if (project.scoreTypeByName[nameHash] != 0) revert DuplicateScoreType(name);
        project.scoreTypeByName[nameHash] = index + 1;
    }

    /// @dev Gives the role to each, and tells how many of them were no members before.
    function _storeMembers(Project storage project, address[] calldata members, uint8 role)
        internal
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
    function _changeRoles(Project storage project, bytes32 projectId, address member, uint8 role, bool give) internal {
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
    function _memberSlot(Project storage project, uint256 roles) internal view returns (uint256) {
        return
            roles | (project.signedOnly ? MEMBER_SIGNED_ONLY : 0) | uint256(project.scoreTypeCount) << MEMBER_TYPES_AT;
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
