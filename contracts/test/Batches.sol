// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "./Base.sol";

/// @notice What tests of batches share: the usual project, and a wallet of no member.
abstract contract Batches is Base {
    address internal constant WALLET = address(0xF00D);
    bytes32 internal constant SECOND = keccak256("second project");

    function setUp() public {
        _deploy();
        _create(_usual());
    }

    function _cut(bytes memory data, uint256 from, uint256 to) internal pure returns (bytes memory out) {
        out = new bytes(to - from);
        for (uint256 i; i < out.length; ++i) {
            out[i] = data[from + i];
        }
    }

    function _compareAll(address wallet, bytes32 word) internal view {
        address[] memory people = new address[](6);
        (people[0], people[1], people[2], people[3], people[4]) = (OWNER, UPDATER, BOTH, STRANGER, WALLET);
        people[5] = wallet;
        _compare(PROJECT, people, people);
        _compareWord(PROJECT, word);
    }
}
