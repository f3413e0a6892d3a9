// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Handler} from "./Handler.sol";

/// @notice The registry is what a model rebuilt from its events says, after any steps: each id applied at most once,
/// each score the sum of its applied points, nothing changed by what was skipped or refused.
contract InvariantTest {
    error NeverMet(bytes4 selector, bytes4 err);

    Handler private handler;

    function setUp() public {
        handler = new Handler();
        handler.createProject(uint256(keccak256("a project to begin with")));
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_registryIsTheSumOfItsEvents() public view {
        handler.compare();
        handler.compareOwners();
    }

    function afterInvariant() external {
        handler.compareIds();
        handler.compareRights();
    }

    /// @dev The steps are worth something only if they reach everything: every outcome, every answer.
    function test_stepsReachEverything() public {
        for (uint256 i; i < 1200; ++i) {
            uint256 chance = uint256(keccak256(abi.encode(i)));
            uint256 step = i % 16;
            if (i % 60 == 0) handler.createProject(chance);
            else if (step < 3) handler.applyBatch(chance);
            else if (step == 3) handler.applyBroken(chance);
            else if (step == 4) handler.replay(chance);
            else if (step < 7) handler.updateScore(chance);
            else if (step == 7) handler.addAction(chance);
            else if (step == 8) handler.addScoreType(chance);
            else if (step == 9) handler.addOwner(chance);
            else if (step == 10) handler.removeOwner(chance);
            else if (step == 11) handler.addUpdater(chance);
            else if (step == 12) handler.removeUpdater(chance);
            else if (step == 13) handler.setSignedOnly(chance);
            else if (step == 14) handler.changeRelayer(chance);
            else handler.changeAdmin(chance);
            if (i % 8 == 3) handler.editBySignature(chance);
        }
        handler.compare();
        handler.compareIds();
        handler.compareOwners();
        handler.compareRights();
        uint8[8] memory outcomes = [0, 1, 2, 3, 4, 5, 8, 9];
        for (uint256 i; i < outcomes.length; ++i) {
            require(handler.outcomesSeen(outcomes[i]) > 0, "an outcome was never met");
        }
        bytes4 refused = IAccessControl.AccessControlUnauthorizedAccount.selector;
        _seen(IScoreRegistry.createProject.selector, 0);
        _seen(IScoreRegistry.createProject.selector, IScoreRegistry.ProjectExists.selector);
        _seen(IScoreRegistry.createProject.selector, refused);
        _seen(IScoreRegistry.applyBatch.selector, 0);
        _seen(IScoreRegistry.applyBatch.selector, IScoreRegistry.BadFraming.selector);
        _seen(IScoreRegistry.applyBatch.selector, refused);
        _seen(IScoreRegistry.updateScore.selector, 0);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownProject.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.NotMember.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.DuplicateUpdate.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownAction.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownScoreType.selector);
        _seen(IScoreRegistry.addAction.selector, 0);
        _seen(IScoreRegistry.addAction.selector, IScoreRegistry.NotOwner.selector);
        _seen(IScoreRegistry.addAction.selector, IScoreRegistry.PointsOutOfRange.selector);
        _seen(IScoreRegistry.addAction.selector, IScoreRegistry.InvalidDirection.selector);
        _seen(IScoreRegistry.addScoreType.selector, 0);
        _seen(IScoreRegistry.addScoreType.selector, IScoreRegistry.DuplicateScoreType.selector);
        _seen(IScoreRegistry.addOwner.selector, 0);
        _seen(IScoreRegistry.addOwner.selector, IScoreRegistry.RoleUnchanged.selector);
        _seen(IScoreRegistry.addOwner.selector, IScoreRegistry.ZeroMember.selector);
        _seen(IScoreRegistry.removeOwner.selector, 0);
        _seen(IScoreRegistry.removeOwner.selector, IScoreRegistry.LastOwner.selector);
        _seen(IScoreRegistry.addUpdater.selector, 0);
        _seen(IScoreRegistry.removeUpdater.selector, 0);
        _seen(IScoreRegistry.removeUpdater.selector, IScoreRegistry.UnknownProject.selector);
        _seen(IScoreRegistry.setSignedOnly.selector, 0);
        _seen(IScoreRegistry.setSignedOnly.selector, IScoreRegistry.SignedOnlyUnchanged.selector);
        _seen(IScoreRegistry.setSignedOnly.selector, IScoreRegistry.NotOwner.selector);
        _seen(IScoreRegistry.editBySignature.selector, 0);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.EditExpired.selector);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.WrongEditNonce.selector);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.NotOwner.selector);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.BadEditSignature.selector);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.RoleUnchanged.selector);
        _seen(IScoreRegistry.editBySignature.selector, IScoreRegistry.SignedOnlyUnchanged.selector);
        _seen(IAccessControl.grantRole.selector, 0);
        _seen(IAccessControl.grantRole.selector, refused);
        _seen(IAccessControl.revokeRole.selector, 0);
        _seen(IAccessControl.renounceRole.selector, 0);
        _seen(IAccessControlDefaultAdminRules.beginDefaultAdminTransfer.selector, 0);
        _seen(IAccessControlDefaultAdminRules.beginDefaultAdminTransfer.selector, refused);
        _seen(IAccessControlDefaultAdminRules.cancelDefaultAdminTransfer.selector, 0);
        _seen(IAccessControlDefaultAdminRules.acceptDefaultAdminTransfer.selector, 0);
    }

    function _seen(bytes4 selector, bytes4 err) private view {
        if (handler.answersSeen(selector, err) == 0) revert NeverMet(selector, err);
    }
}
