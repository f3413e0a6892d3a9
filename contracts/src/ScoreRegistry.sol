// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Batches} from "./Batches.sol";
import {Edits} from "./Edits.sol";
import {IScoreRegistry} from "./IScoreRegistry.sol";

/// @title ScoreRegistry
/// @notice See {IScoreRegistry}. The contract is immutable. It calls no other contract except the ecrecover
/// precompile. Its admin grants and revokes the relayer role, and has no power over projects or scores. A new admin
/// takes over only after a delay.
///
/// @dev The storage layout minimizes gas. One update of an existing wallet in a batch of consecutive ids should pay
/// for one score slot and little else:
///  - updateIds are a bitmap: id >> 8 selects a slot, and the id's last byte a bit in it. This is exact for every
///    32-byte id, in any order. Consecutive ids share slots; each random id pays for a fresh one.
///  - Four scores of a wallet share a slot as 64-bit fields. A field contains score + 2^63. A slot of 0 means four
///    scores of 0; a slot that was written never returns to 0. So a score that returns to 0 does not clear its slot
///    and pay for a fresh one later. Signed points are added to the whole slot at once. Each field stays in [1,
///    2^64), so nothing carries over into its neighbour. Points are below 2^31, so it takes 2^32 updates of one score
///    to reach the end of its field.
///  - Eight actions' points share a slot. In the first of these slots, the project data that a batch needs takes the
///    place of one action: the counts of actions and score types, and signedOnly. A batch reads that slot anyway.
///  - Names are hashed and mapped to indexes for direct calls, and otherwise only appear in events. Batches contain
///    indexes.
///
/// {Projects} stores projects, {Edits} changes them, {Batches} applies batches, {BatchData} parses them.
contract ScoreRegistry is Edits, Batches {
    /// @param adminDelay Seconds between the announcement and the earliest acceptance of a new admin.
    /// @param admin The first admin, which grants and revokes the relayer role; in production, a multisig.
    /// @param relayers The first holders of the relayer role.
    constructor(uint48 adminDelay, address admin, address[] memory relayers)
        AccessControlDefaultAdminRules(adminDelay, admin)
        EIP712("Scorelay", "1")
    {
        for (uint256 i; i < relayers.length; ++i) {
            _grantRole(RELAYER_ROLE, relayers[i]);
        }
    }

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
        _addToScore(project, uint256(uint160(targetWallet)) << 8 | typeIndex, _points(project, action));

        int64 score = _score(project, targetWallet, typeIndex);
        emit ScoreUpdated(projectId, targetWallet, msg.sender, updateId, uint8(action), uint8(typeIndex), score);
    }

    /// @notice ERC-165: this interface and those of OpenZeppelin's access control.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IScoreRegistry).interfaceId || super.supportsInterface(interfaceId);
    }
}
