// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";

/// @notice Who may do what: the admin and the relayers.
contract RolesTest is Base {
    bytes32 private relayerRole;

    function setUp() public {
        _deploy();
        relayerRole = registry.RELAYER_ROLE();
    }

    function test_theAdminGivesAndTakesTheRelayerRole() public {
        bytes memory grant = abi.encodeCall(IAccessControl.grantRole, (relayerRole, STRANGER));
        bytes memory revoke = abi.encodeCall(IAccessControl.revokeRole, (relayerRole, RELAYER));
        bytes memory want = abi.encodeWithSelector(
            IAccessControl.AccessControlUnauthorizedAccount.selector, RELAYER, registry.DEFAULT_ADMIN_ROLE()
        );
        _refused(RELAYER, grant, want);
        _refused(RELAYER, abi.encodeCall(IAccessControl.revokeRole, (relayerRole, ADMIN)), want);
        _ok(ADMIN, grant);
        _ok(STRANGER, _data(_usual()));
        _ok(ADMIN, revoke);
        want = abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, RELAYER, relayerRole);
        _refused(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (hex"00")), want);
    }

    function testFuzz_theAdminIsNotARelayer(address caller, bytes calldata data) public {
        vm.assume(caller != RELAYER);
        bytes memory want =
            abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, relayerRole);
        _refused(caller, abi.encodeCall(IScoreRegistry.applyBatch, (data)), want);
        want = abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, ADMIN, relayerRole);
        _refused(ADMIN, abi.encodeCall(IScoreRegistry.applyBatch, (data)), want);
    }

    function test_aNewAdminWaits() public {
        vm.warp(1_000_000);
        _ok(ADMIN, abi.encodeCall(IAccessControlDefaultAdminRules.beginDefaultAdminTransfer, (STRANGER)));
        bytes memory accept = abi.encodeCall(IAccessControlDefaultAdminRules.acceptDefaultAdminTransfer, ());
        uint48 due = uint48(1_000_000 + DELAY);
        bytes memory want = abi.encodeWithSelector(
            IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminDelay.selector, due
        );
        _refused(STRANGER, accept, want);
        vm.warp(due); // the delay must have passed wholly
        _refused(STRANGER, accept, want);
        vm.warp(due + 1);
        _ok(STRANGER, accept);
        require(registry.defaultAdmin() == STRANGER, "admin");
        _refused(
            ADMIN,
            abi.encodeCall(IAccessControl.grantRole, (relayerRole, OTHER)),
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, ADMIN, registry.DEFAULT_ADMIN_ROLE()
            )
        );
    }

    function test_thereMustBeAnAdmin() public {
        try this.deployWithout() {
            revert("deployed without an admin");
        } catch (bytes memory reason) {
            bytes memory want = abi.encodeWithSelector(
                IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector, address(0)
            );
            require(keccak256(reason) == keccak256(want), "another error");
        }
    }

    function deployWithout() external {
        _deploy(address(0), new address[](0));
    }

    function test_interfaces() public view {
        require(registry.supportsInterface(type(IScoreRegistry).interfaceId), "own");
        require(registry.supportsInterface(type(IERC165).interfaceId), "ERC-165");
        require(registry.supportsInterface(type(IAccessControl).interfaceId), "access control");
        require(registry.supportsInterface(type(IAccessControlDefaultAdminRules).interfaceId), "admin rules");
        require(!registry.supportsInterface(0xffffffff), "none");
    }
}
