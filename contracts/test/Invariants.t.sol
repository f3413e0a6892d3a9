// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {ScoreRegistry} from "../src/ScoreRegistry.sol";
import {Harness, Update} from "./Harness.sol";

/// @dev Plays calls on a registry and keeps a model of what they should do, with mappings as plain as can be.
contract Player is Harness {
    mapping(bytes32 project => mapping(bytes32 id => bool)) public used;
    mapping(bytes32 project => mapping(address target => mapping(uint8 scoreType => int64))) public scores;
    mapping(bytes32 project => mapping(address member => uint8)) public roles;
    int64[] public points;
    uint256 public owners = 1;
    uint256 public applied;

    constructor(ScoreRegistry deployed) {
        registry = deployed;
        for (uint256 i; i < 8; ++i) {
            points.push(pointsOf(i));
        }
        roles[PROJECT][OWNER] = 2;
        roles[PROJECT][UPDATER] = 1;
    }

    function idOf(uint256 n) public pure returns (bytes32) {
        n %= 24; // two words and some ids that share none
        if (n < 16) return bytes32(((n & 1) << 8) | (n * 16));
        return keccak256(abi.encode(n));
    }

    function targetOf(uint256 n) public pure returns (address) {
        return address(uint160(0x100 + n % 3));
    }

    function memberOf(uint256 n) public pure returns (address) {
        return n % 4 == 0 ? OWNER : n % 4 == 1 ? UPDATER : address(uint160(0x200 + n % 4));
    }

    /// @dev The model of one update of a batch.
    function predict(bytes32 project, address signer, Update memory u) private returns (uint8) {
        if (project != PROJECT) return 2;
        if (roles[project][signer] == 0) return 3;
        if (used[project][u.id]) return 1;
        if (u.action >= points.length) return 4;
        if (u.scoreType >= 6) return 5;
        used[project][u.id] = true;
        scores[project][u.target][u.scoreType] += points[u.action];
        ++applied;
        return 0;
    }

    function batch(uint256 seed, uint8 size) external {
        bytes memory data;
        uint256 n = size % 12 + 1;
        bytes memory want = new bytes(n);
        bool skipped;
        for (uint256 i; i < n; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            Update[] memory one = new Update[](1);
            // forge-lint: disable-next-line(unsafe-typecast)
            one[0] = Update(idOf(seed), targetOf(seed >> 8), uint8((seed >> 16) % 12), uint8((seed >> 24) % 8));
            bytes32 project = (seed >> 32) % 10 == 0 ? keccak256("none") : PROJECT;
            address signer = memberOf(seed >> 40);
            data = bytes.concat(
                data, (seed >> 48) % 2 == 0 ? wordGroup(project, signer, one) : freeGroup(project, signer, one)
            );
            uint8 outcome = predict(project, signer, one[0]);
            want[i] = bytes1(outcome);
            skipped = skipped || outcome != 0;
        }
        require(keccak256(send(data)) == keccak256(skipped ? want : bytes("")), "outcomes");
    }

    function direct(uint256 n, uint8 action, uint8 scoreType) external {
        (action, scoreType) = (action % 8, scoreType % 6);
        (bytes32 id, address signer, address target) = (idOf(n), memberOf(n >> 8), targetOf(n >> 16));
        vm.prank(signer);
        (bool ok,) = address(registry)
            .call(
                abi.encodeCall(
                    registry.updateScore, (id, PROJECT, label("action", action), label("type", scoreType), target)
                )
            );
        bool should = roles[PROJECT][signer] != 0 && !used[PROJECT][id];
        require(ok == should, "direct");
        if (ok) require(predict(PROJECT, signer, Update(id, target, action, scoreType)) == 0, "model");
    }

    function addAction(uint32 amount, uint8 direction, uint256 n) external {
        if (points.length >= 12) return;
        address by = memberOf(n);
        vm.prank(by);
        (bool ok,) = address(registry)
            .call(abi.encodeCall(registry.addAction, (PROJECT, IScoreRegistry.Action("more", amount, direction))));
        bool good = amount > 0 && amount < 2 ** 31 && direction < 2;
        require(ok == (good && roles[PROJECT][by] & 2 != 0), "addAction");
        // forge-lint: disable-next-line(unsafe-typecast)
        if (ok) points.push(direction == 0 ? int64(uint64(amount)) : -int64(uint64(amount)));
    }

    function member(uint256 n, bool give, bool owner) external {
        (address by, address who) = (memberOf(n), memberOf(n >> 8));
        bytes memory call = give
            ? owner
                ? abi.encodeCall(registry.addOwner, (PROJECT, who))
                : abi.encodeCall(registry.addUpdater, (PROJECT, who))
            : owner
                ? abi.encodeCall(registry.removeOwner, (PROJECT, who))
                : abi.encodeCall(registry.removeUpdater, (PROJECT, who));
        uint8 role = owner ? 2 : 1;
        bool should = roles[PROJECT][by] & 2 != 0 && (roles[PROJECT][who] & role != 0) != give
            && !(owner && !give && owners == 1);
        vm.prank(by);
        (bool ok,) = address(registry).call(call);
        require(ok == should, "member");
        if (!ok) return;
        roles[PROJECT][who] ^= role;
        if (owner) owners = give ? owners + 1 : owners - 1;
    }
}

contract InvariantsTest is Harness {
    Player private player;

    function setUp() public {
        deploy();
        create(PROJECT);
        player = new Player(registry);
    }

    function targetContracts() external view returns (address[] memory) {
        return list(address(player));
    }

    function invariant_idsAreUsedExactlyOnce() external view {
        uint256 usedUp;
        for (uint256 n; n < 24; ++n) {
            bytes32 id = player.idOf(n);
            require(isUsed(PROJECT, id) == player.used(PROJECT, id), "used");
            if (isUsed(PROJECT, id)) ++usedUp;
        }
        require(usedUp == player.applied(), "one id for each applied update");
    }

    function invariant_scoresAreTheSumOfAppliedPoints() external view {
        for (uint256 n; n < 3; ++n) {
            address target = player.targetOf(n);
            int64[] memory all = registry.getWalletScores(PROJECT, target);
            for (uint8 i; i < 6; ++i) {
                require(all[i] == player.scores(PROJECT, target, i), "score");
            }
        }
    }

    function invariant_membersAndOwners() external view {
        uint256 owners;
        for (uint256 n; n < 4; ++n) {
            address who = player.memberOf(n);
            require(rolesOf(PROJECT, who) == player.roles(PROJECT, who), "roles");
            if (rolesOf(PROJECT, who) & 2 != 0) ++owners;
        }
        require(owners > 0 && owners == registry.getProject(PROJECT).ownerCount, "never without an owner");
    }

    function invariant_actionsNeverChange() external view {
        int64[] memory all = registry.getActions(PROJECT);
        for (uint256 i; i < all.length; ++i) {
            require(all[i] == player.points(i), "action");
        }
    }
}
