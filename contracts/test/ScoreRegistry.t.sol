// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Harness, Update} from "./Harness.sol";

contract ScoreRegistryTest is Harness {
    function setUp() public {
        deploy();
        create(PROJECT);
    }

    /// @dev Any id, any wallet, any bytes for action and score type, in either kind: applied exactly if both exist, then
    /// used up, and a duplicate ever after; else skipped, and the id can still be used.
    function testFuzz_oneUpdate(bytes32 id, address target, uint8 action, uint8 scoreType, bool word) public {
        Update[] memory updates = new Update[](1);
        updates[0] = Update(id, target, action, scoreType);
        bytes memory data = word ? wordGroup(PROJECT, UPDATER, updates) : freeGroup(PROJECT, UPDATER, updates);
        bytes memory outcomes = send(data);
        if (action >= 8 || scoreType >= 6) {
            require(uint8(outcomes[0]) == (action >= 8 ? 4 : 5), "skipped");
            require(!isUsed(PROJECT, id), "a skipped id is unused");
            updates[0] = Update(id, target, 0, 0);
            data = freeGroup(PROJECT, OWNER, updates);
            outcomes = send(data);
            (action, scoreType) = (0, 0);
        }
        require(outcomes.length == 0, "applied");
        require(isUsed(PROJECT, id), "used");
        require(scoreOf(PROJECT, target, scoreType) == pointsOf(action), "score");
        require(send(data).length == 1, "a duplicate");
        require(scoreOf(PROJECT, target, scoreType) == pointsOf(action), "once");
    }

    /// @dev One id uses up no other id of its word, nor that id in another project.
    function testFuzz_idsAreExact(bytes32 id, uint8 otherLow, bytes32 otherProject) public {
        vm.assume(otherProject != PROJECT);
        Update[] memory updates = new Update[](1);
        updates[0] = Update(id, address(1), 0, 0);
        send(freeGroup(PROJECT, UPDATER, updates));
        bytes32 other = bytes32((uint256(id) & ~uint256(0xff)) | otherLow);
        require(isUsed(PROJECT, other) == (other == id), "its own bit alone");
        require(!isUsed(otherProject, id), "its own project alone");
        create(otherProject);
        require(send(freeGroup(otherProject, UPDATER, updates)).length == 0, "fresh in the other project");
    }

    /// @dev A score that goes up and down in one lane leaves the other lanes of its slot alone, below zero too.
    function testFuzz_lanesAreApart(uint8[40] memory actions, uint8[40] memory types) public {
        int64[6] memory want;
        Update[] memory updates = new Update[](40);
        for (uint256 i; i < 40; ++i) {
            (uint8 action, uint8 scoreType) = (actions[i] % 8, types[i] % 6);
            updates[i] = Update(bytes32(i), address(0xbeef), action, scoreType);
            want[scoreType] += pointsOf(action);
        }
        require(send(wordGroup(PROJECT, UPDATER, updates)).length == 0, "all applied");
        int64[] memory got = registry.getWalletScores(PROJECT, address(0xbeef));
        require(got.length == 6, "all types");
        for (uint256 i; i < 6; ++i) {
            require(got[i] == want[i], "lane");
        }
    }

    /// @dev Order is not part of the result: any rotation of a batch without repeated ids leads to the same scores.
    function testFuzz_orderDoesNotMatter(uint8[20] memory actions, uint256 by) public {
        by %= 20;
        Update[] memory updates = new Update[](20);
        Update[] memory turned = new Update[](20);
        for (uint256 i; i < 20; ++i) {
            updates[i] = Update(keccak256(abi.encode(i)), address(uint160(i % 3)), actions[i] % 10, 0);
            turned[(i + by) % 20] = updates[i];
        }
        bytes32 other = keccak256("other");
        create(other);
        send(freeGroup(PROJECT, UPDATER, updates));
        send(freeGroup(other, UPDATER, turned));
        for (uint160 i; i < 3; ++i) {
            require(scoreOf(PROJECT, address(i), 0) == scoreOf(other, address(i), 0), "the same score");
        }
    }

    /// @dev Bytes that are not well framed revert and change nothing; nothing else about a batch reverts.
    function testFuzz_framing(bytes calldata data) public {
        bool good = wellFramed(data);
        vm.prank(RELAYER);
        (bool ok, bytes memory why) = address(registry).call(abi.encodeCall(registry.applyBatch, (data)));
        require(ok == good, "framing alone decides");
        if (!ok) require(bytes4(why) == IScoreRegistry.BadFraming.selector, "BadFraming");
    }

    /// @dev As testFuzz_framing, with bytes that begin like a batch.
    function testFuzz_framingOfGroups(uint8 kind, uint16 count, uint16 bytesAfter) public {
        bytes memory data = abi.encodePacked(PROJECT, UPDATER, kind % 4, count % 8, new bytes(bytesAfter % 500));
        this.testFuzz_framing(data);
    }

    function wellFramed(bytes calldata data) private pure returns (bool) {
        if (data.length == 0) return false;
        uint256 i;
        while (i < data.length) {
            if (data.length - i < 55) return false;
            uint256 kind = uint8(data[i + 52]);
            uint256 count = uint16(bytes2(data[i + 53:i + 55]));
            if (count == 0 || kind == 0 || kind > 2) return false;
            i += kind == 1 ? 86 + 23 * count : 55 + 54 * count;
        }
        return i == data.length;
    }

    function test_checkOrder() public {
        Update[] memory one = new Update[](1);
        one[0] = Update(bytes32(uint256(7)), address(1), 9, 9);
        require(uint8(send(freeGroup(keccak256("none"), address(1), one))[0]) == 2, "project first");
        require(uint8(send(freeGroup(PROJECT, address(1), one))[0]) == 3, "then the signer");
        require(uint8(send(freeGroup(PROJECT, UPDATER, one))[0]) == 4, "then the action");
        one[0].action = 0;
        require(uint8(send(freeGroup(PROJECT, UPDATER, one))[0]) == 5, "then the score type");
        one[0].scoreType = 0;
        require(send(freeGroup(PROJECT, UPDATER, one)).length == 0, "applied");
        one[0].action = 9;
        require(uint8(send(freeGroup(PROJECT, UPDATER, one))[0]) == 1, "a duplicate before its action");
        require(uint8(send(freeGroup(PROJECT, address(1), one))[0]) == 3, "the signer before a duplicate");
    }

    function test_skippedUpdatesDoNotHoldUpOthers() public {
        Update[] memory updates = new Update[](4);
        updates[0] = Update(bytes32(uint256(1)), address(1), 0, 0);
        updates[1] = Update(bytes32(uint256(1)), address(1), 0, 0);
        updates[2] = Update(bytes32(uint256(2)), address(1), 200, 0);
        updates[3] = Update(bytes32(uint256(3)), address(1), 2, 0);
        bytes memory outcomes = send(
            bytes.concat(
                wordGroup(PROJECT, UPDATER, updates),
                freeGroup(PROJECT, address(9), updates),
                freeGroup(PROJECT, OWNER, updates)
            )
        );
        require(keccak256(outcomes) == keccak256(hex"000104000303030301010401"), "outcomes");
        require(scoreOf(PROJECT, address(1), 0) == 2002, "the good ones");
    }

    /// @dev A direct call and a batch share ids and scores; a name means its newest action.
    function test_directUpdate() public {
        vm.prank(UPDATER);
        registry.updateScore(bytes32(uint256(1)), PROJECT, "action2", "type3", address(1));
        require(scoreOf(PROJECT, address(1), 3) == 1002, "direct");
        Update[] memory one = new Update[](1);
        one[0] = Update(bytes32(uint256(1)), address(1), 0, 0);
        require(uint8(send(wordGroup(PROJECT, OWNER, one))[0]) == 1, "used directly");

        vm.prank(OWNER);
        registry.addAction(PROJECT, IScoreRegistry.Action("action2", 5, 1));
        require(registry.getActionIndex(PROJECT, "action2") == 8, "newest");
        vm.prank(OWNER);
        registry.updateScore(bytes32(uint256(2)), PROJECT, "action2", "type3", address(1));
        require(scoreOf(PROJECT, address(1), 3) == 997, "the newest action's points");
        one[0] = Update(bytes32(uint256(3)), address(1), 2, 3);
        send(freeGroup(PROJECT, UPDATER, one));
        require(scoreOf(PROJECT, address(1), 3) == 1999, "an index stays what it was");

        vm.expectRevert(abi.encodeWithSelector(IScoreRegistry.DuplicateUpdate.selector, PROJECT, bytes32(uint256(3))));
        vm.prank(UPDATER);
        registry.updateScore(bytes32(uint256(3)), PROJECT, "action2", "type3", address(1));
    }

    /// @dev A removed updater's queued updates are refused by the chain.
    function test_removedUpdater() public {
        vm.prank(OWNER);
        registry.removeUpdater(PROJECT, UPDATER);
        Update[] memory one = new Update[](1);
        one[0] = Update(bytes32(uint256(1)), address(1), 0, 0);
        require(uint8(send(freeGroup(PROJECT, UPDATER, one))[0]) == 3, "no member any more");
        require(!isUsed(PROJECT, one[0].id), "and its id is not used up");
    }

    /// @dev The far ends of a lane, by the dearest points there are, in the outer lanes of a slot.
    function test_largestPoints() public {
        vm.startPrank(OWNER);
        registry.addAction(PROJECT, IScoreRegistry.Action("up", 2 ** 31 - 1, 0));
        registry.addAction(PROJECT, IScoreRegistry.Action("down", 2 ** 31 - 1, 1));
        vm.stopPrank();
        Update[] memory updates = new Update[](250);
        for (uint256 i; i < 250; ++i) {
            updates[i] = Update(bytes32(i), address(1), i % 2 == 0 ? 8 : 9, i % 2 == 0 ? 0 : 3);
        }
        require(send(wordGroup(PROJECT, UPDATER, updates)).length == 0, "all applied");
        int64 sum = 125 * (2 ** 31 - 1);
        require(scoreOf(PROJECT, address(1), 0) == sum && scoreOf(PROJECT, address(1), 3) == -sum, "ends");
        require(scoreOf(PROJECT, address(1), 1) == 0 && scoreOf(PROJECT, address(1), 2) == 0, "between");
    }

    function test_interfaces() public view {
        require(registry.supportsInterface(type(IScoreRegistry).interfaceId), "its own");
        require(registry.supportsInterface(0x01ffc9a7) && !registry.supportsInterface(0xffffffff), "ERC-165");
    }
}
