// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";
import {Projects} from "./Projects.sol";

/// @dev Owners' edits of their projects, sent by themselves or signed; the part of {ScoreRegistry} that changes
/// projects.
abstract contract Edits is Projects, EIP712 {
    /// @dev The EIP-712 type that an owner signs. Each part is text or a number that a wallet can display.
    bytes32 private constant EDIT_TYPEHASH =
        keccak256("Edit(string operation,address member,string name,uint32 points,uint8 direction)");
    bytes32 private constant EDIT_PROJECT_TYPEHASH = keccak256(
        "EditProject(bytes32 projectId,Edit[] edits,uint256 nonce,uint256 deadline)"
        "Edit(string operation,address member,string name,uint32 points,uint8 direction)"
    );

    // ------------------------------------------------------------------------------------------ edits by the caller

    /// @inheritdoc IScoreRegistry
    function addAction(bytes32 projectId, Action calldata action) external {
        Project storage project = _callersProject(projectId);
        _addAction(project, projectId, action.name, action.points, action.direction);
    }

    /// @inheritdoc IScoreRegistry
    function addScoreType(bytes32 projectId, string calldata name) external {
        _addScoreType(_callersProject(projectId), projectId, name);
    }

    /// @inheritdoc IScoreRegistry
    function addOwner(bytes32 projectId, address member) external {
        _changeRoles(_callersProject(projectId), projectId, member, OWNER, true, msg.sender);
    }

    /// @inheritdoc IScoreRegistry
    function removeOwner(bytes32 projectId, address member) external {
        _changeRoles(_callersProject(projectId), projectId, member, OWNER, false, msg.sender);
    }

    /// @inheritdoc IScoreRegistry
    function addUpdater(bytes32 projectId, address member) external {
        _changeRoles(_callersProject(projectId), projectId, member, UPDATER, true, msg.sender);
    }

    /// @inheritdoc IScoreRegistry
    function removeUpdater(bytes32 projectId, address member) external {
        _changeRoles(_callersProject(projectId), projectId, member, UPDATER, false, msg.sender);
    }

    /// @inheritdoc IScoreRegistry
    function setSignedOnly(bytes32 projectId, bool signedOnly) external {
        _setSignedOnly(_callersProject(projectId), projectId, signedOnly, msg.sender);
    }

    // ------------------------------------------------------------------------------------------- edits by signature

    /// @inheritdoc IScoreRegistry
    function editBySignature(
        bytes32 projectId,
        Edit[] calldata edits,
        address owner,
        uint256 nonce,
        uint256 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        Project storage project = _existingProject(projectId);
        // A block's timestamp is off by seconds; a deadline is minutes away.
        // forge-lint: disable-next-line(block-timestamp)
        if (block.timestamp > deadline) revert EditExpired(deadline, block.timestamp);
        if (nonce != project.editNonce) revert WrongEditNonce(projectId, nonce, project.editNonce);
        _requireOwner(project, projectId, owner);
        (address signer,,) = ECDSA.tryRecover(_editsDigest(projectId, edits, nonce, deadline), r, vs);
        if (signer != owner) revert BadEditSignature(projectId, owner);
        project.editNonce = uint64(nonce + 1);
        for (uint256 i; i < edits.length; ++i) {
            _edit(project, projectId, edits[i], owner);
        }
    }

    function _edit(Project storage project, bytes32 projectId, Edit calldata edit, address by) private {
        bytes32 operation = keccak256(bytes(edit.operation));
        if (operation == keccak256("add owner")) {
            _changeRoles(project, projectId, edit.member, OWNER, true, by);
        } else if (operation == keccak256("remove owner")) {
            _changeRoles(project, projectId, edit.member, OWNER, false, by);
        } else if (operation == keccak256("add updater")) {
            _changeRoles(project, projectId, edit.member, UPDATER, true, by);
        } else if (operation == keccak256("remove updater")) {
            _changeRoles(project, projectId, edit.member, UPDATER, false, by);
        } else if (operation == keccak256("add action")) {
            _addAction(project, projectId, edit.name, edit.points, edit.direction);
        } else if (operation == keccak256("add score type")) {
            _addScoreType(project, projectId, edit.name);
        } else if (operation == keccak256("require signed groups")) {
            _setSignedOnly(project, projectId, true, by);
        } else if (operation == keccak256("allow unsigned groups")) {
            _setSignedOnly(project, projectId, false, by);
        } else {
            revert UnknownOperation(edit.operation);
        }
    }

    /// @dev Returns the digest that the owner signed.
    function _editsDigest(bytes32 projectId, Edit[] calldata edits, uint256 nonce, uint256 deadline)
        private
        view
        returns (bytes32)
    {
        bytes32[] memory hashes = new bytes32[](edits.length);
        for (uint256 i; i < edits.length; ++i) {
            Edit calldata edit = edits[i];
            bytes32 operation = keccak256(bytes(edit.operation));
            bytes32 name = keccak256(bytes(edit.name));
            hashes[i] = keccak256(abi.encode(EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction));
        }
        bytes32 all = keccak256(abi.encodePacked(hashes));
        return _hashTypedDataV4(keccak256(abi.encode(EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline)));
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _callersProject(bytes32 projectId) private view returns (Project storage project) {
        project = _existingProject(projectId);
        _requireOwner(project, projectId, msg.sender);
    }

    function _requireOwner(Project storage project, bytes32 projectId, address account) private view {
        if (project.members[account] & OWNER == 0) revert NotOwner(projectId, account);
    }

    function _addAction(
        Project storage project,
        bytes32 projectId,
        string calldata name,
        uint32 points,
        uint8 direction
    ) private {
        uint256 index = project.actionCount;
        if (index == MAX_ACTIONS) revert ActionCount(index + 1);
        _storeAction(project, index, name, points, direction);
        project.actionCount = uint16(index + 1);
        emit ActionAdded(projectId, uint8(index), name, points, direction);
    }

    function _addScoreType(Project storage project, bytes32 projectId, string calldata name) private {
        uint256 index = project.scoreTypeCount;
        if (index == MAX_SCORE_TYPES) revert ScoreTypeCount(index + 1);
        _storeScoreType(project, index, name);
        project.scoreTypeCount = uint8(index + 1);
        emit ScoreTypeAdded(projectId, uint8(index), name);
    }

    /// @dev Adds or removes one role bit.
    function _changeRoles(Project storage project, bytes32 projectId, address member, uint8 role, bool give, address by)
        private
    {
        if (member == address(0)) revert ZeroMember();
        uint8 before = project.members[member];
        if ((before & role != 0) == give) revert RoleUnchanged(projectId, member);
        if (role == OWNER) {
            uint256 owners = project.ownerCount;
            if (!give && owners == 1) revert LastOwner(projectId);
            project.ownerCount = uint32(give ? owners + 1 : owners - 1);
        }
        uint8 roles = before ^ role;
        project.members[member] = roles;
        emit MemberChanged(projectId, member, roles, by);
    }

    function _setSignedOnly(Project storage project, bytes32 projectId, bool signedOnly, address by) private {
        if (project.signedOnly == signedOnly) revert SignedOnlyUnchanged(projectId);
        project.signedOnly = signedOnly;
        emit SignedOnlySet(projectId, signedOnly, by);
    }
}
