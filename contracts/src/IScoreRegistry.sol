// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title The scores of many projects, changed by signed updates, each at most once.
/// @notice A project has actions (signed point values), score types, owners and updaters. An update applies one
/// action to one wallet's score of one score type. Every (projectId, updateId) is applied at most once, forever.
///
/// An indexer can rebuild every project, member, update and score from this contract's events alone, in the order of
/// blocks and log indexes. Each event's comment states its guarantees.
interface IScoreRegistry {
    // ---------------------------------------------------------------------------------------------------- types

    /// @notice A named score change.
    /// @param name 1 to MAX_NAME_BYTES bytes, meant to be UTF-8. The contract compares names byte by byte and never
    /// normalizes them.
    /// @param points 1 to MAX_POINTS.
    /// @param direction 0 adds the points, 1 subtracts them.
    struct Action {
        string name;
        uint32 points;
        uint8 direction;
    }

    /// @notice One change of a project by its owner's signature; see {IScoreRegistry-editBySignature}. An operation
    /// ignores the fields that it does not use.
    /// @param operation "add owner", "remove owner", "add updater", "remove updater", "add action", "add score type",
    /// "require signed groups" or "allow unsigned groups".
    /// @param member Used by the four operations on members.
    /// @param name Name of an action or score type.
    /// @param points Points of an action, as in {Action}.
    /// @param direction Direction of an action, as in {Action}.
    struct Edit {
        string operation;
        address member;
        string name;
        uint32 points;
        uint8 direction;
    }

    /// @notice The contract's data about a project, except its members and points.
    /// @param createdBlock The block of its ProjectCreated event, which contains the names; 0 if there is no such
    /// project. The number is that of the chain's NUMBER opcode, which on some rollups differs from the height of
    /// their own blocks.
    /// @param ownerCount At least 1 if the project exists.
    /// @param editNonce Nonce of the project's next signed edit: the number of signed edits so far.
    /// @param actionCount At least 1 if the project exists; indexes start at 0.
    /// @param scoreTypeCount At least 1 if the project exists; indexes start at 0.
    /// @param signedOnly Whether updates of the project count in signed groups only.
    struct ProjectInfo {
        uint64 createdBlock;
        uint32 ownerCount;
        uint64 editNonce;
        uint8 actionCount;
        uint8 scoreTypeCount;
        bool signedOnly;
    }

    // --------------------------------------------------------------------------------------------------- events

    /// @notice A project exists from now on. Emitted exactly once per projectId, before any other event of that
    /// project. An action's or score type's index is its place in the list. Names are unique within each list. No
    /// address repeats within a list; an address in both lists has both roles.
    event ProjectCreated(
        bytes32 indexed projectId,
        string name,
        Action[] actions,
        address[] owners,
        address[] updaters,
        string[] scoreTypes,
        bool signedOnly
    );

    /// @notice An action was added to the project. Its index is the number of actions before it, so indexes have no
    /// gaps. An action never changes and is never removed. It may reuse the name of earlier actions. From now on the
    /// name means this one in {IScoreRegistry-updateScore}; batches contain indexes and are not affected.
    event ActionAdded(bytes32 indexed projectId, uint8 index, string name, uint32 points, uint8 direction);

    /// @notice A score type was added to the project. Its index is the number of score types before it; its name
    /// differs from theirs. A score type never changes and is never removed.
    event ScoreTypeAdded(bytes32 indexed projectId, uint8 index, string name);

    /// @notice The member's roles are now exactly these bits (1 updater, 2 owner, 0 no longer a member). Emitted only
    /// by a change, never by a creation.
    /// @param changedBy The owner that sent or signed the edit.
    event MemberChanged(bytes32 indexed projectId, address indexed member, uint8 roles, address indexed changedBy);

    /// @notice From now on updates of the project count only in signed groups, or also in unsigned ones. Emitted only
    /// by a change, never by a creation. Direct updates are not affected: their sender signed them.
    /// @param changedBy The owner that sent or signed the edit.
    event SignedOnlySet(bytes32 indexed projectId, bool signedOnly, address indexed changedBy);

    /// @notice A relayer's batch was executed. Emitted exactly once per applyBatch call.
    /// @param data The argument of the call, well framed; see {IScoreRegistry-applyBatch}.
    /// @param outcomes Empty if every update of the batch was applied, else one byte per update, in the order of the
    /// data: 0 applied, 1 duplicate, 2 unknown project, 3 signer not a member, 4 unknown action, 5 unknown score
    /// type, 8 the project accepts signed groups only, 9 the group's signature is not its signer's. An update with
    /// outcome 0 changed its target's score by its action's signed points and used up its updateId. Any other outcome
    /// changed nothing.
    event BatchApplied(bytes data, bytes outcomes);

    /// @notice An owner or updater applied one update directly. The target's score changed by the action's signed
    /// points, and the updateId is used up.
    /// @param score The target's score after this update.
    event ScoreUpdated(
        bytes32 indexed projectId,
        address indexed target,
        address indexed signer,
        bytes32 updateId,
        uint8 action,
        uint8 scoreType,
        int64 score
    );

    // --------------------------------------------------------------------------------------------------- errors

    /// @notice The projectId is taken, permanently.
    error ProjectExists(bytes32 projectId);
    /// @notice No project has this projectId.
    error UnknownProject(bytes32 projectId);
    /// @notice The caller, or the account named as owner of a signed edit, is not an owner of the project.
    error NotOwner(bytes32 projectId, address account);
    /// @notice The caller is neither an owner nor an updater of the project.
    error NotMember(bytes32 projectId, address account);
    /// @notice The project's last owner cannot be removed.
    error LastOwner(bytes32 projectId);
    /// @notice The member already has the role to add, or lacks the role to remove.
    error RoleUnchanged(bytes32 projectId, address member);
    /// @notice The zero address cannot be a member.
    error ZeroMember();
    /// @notice A creation contains this address twice in one list.
    error DuplicateMember(address member);
    /// @notice A creation must have at least one owner.
    error NoOwner();
    /// @notice A creation has more than MAX_MEMBERS owners and updaters together.
    error TooManyMembers(uint256 count);
    /// @notice The project's signedOnly already has this value.
    error SignedOnlyUnchanged(bytes32 projectId);
    /// @notice The block's timestamp is after the deadline of the signed edit.
    error EditExpired(uint256 deadline, uint256 blockTime);
    /// @notice The signed edit's nonce is not the project's next one: it is used, or comes later.
    error WrongEditNonce(bytes32 projectId, uint256 nonce, uint256 next);
    /// @notice The signature is not this owner's over these edits, in this contract's domain.
    error BadEditSignature(bytes32 projectId, address owner);
    /// @notice There is no such edit operation.
    error UnknownOperation(string operation);
    /// @notice A project must have 1 to MAX_ACTIONS actions.
    error ActionCount(uint256 count);
    /// @notice A project must have 1 to MAX_SCORE_TYPES score types.
    error ScoreTypeCount(uint256 count);
    /// @notice A name must have 1 to max bytes.
    error NameLength(uint256 length, uint256 max);
    /// @notice A creation contains two actions with this name.
    error DuplicateAction(string name);
    /// @notice The project already has a score type of this name.
    error DuplicateScoreType(string name);
    /// @notice Points must be 1 to MAX_POINTS.
    error PointsOutOfRange(uint256 points);
    /// @notice A direction must be 0 or 1.
    error InvalidDirection(uint256 direction);
    /// @notice The project has no action of this name.
    error UnknownAction(string name);
    /// @notice The project has no score type of this name.
    error UnknownScoreType(string name);
    /// @notice This updateId was applied before; the score did not change. Only updateScore reverts with it: in a
    /// batch, a duplicate is an outcome.
    error DuplicateUpdate(bytes32 projectId, bytes32 updateId);
    /// @notice The batch is malformed: the group at this offset is cut short, empty or of an unknown kind, or (offset
    /// 0) there is no group. Nothing was applied.
    error BadFraming(uint256 offset);
    /// @notice Two lists that belong together differ in length.
    error LengthMismatch(uint256 first, uint256 second);

    // -------------------------------------------------------------------------------------------------- changes

    /// @notice Creates a project; only a relayer may. Otherwise a stranger could watch the mempool and take a
    /// projectId, with members of their own, ahead of its rightful creation.
    function createProject(
        bytes32 projectId,
        string calldata name,
        Action[] calldata actions,
        address[] calldata owners,
        address[] calldata updaters,
        string[] calldata scoreTypes,
        bool signedOnly
    ) external;

    /// @notice Adds an action; the caller must be an owner. It may reuse the name of an earlier action, which is how
    /// to change a point value.
    function addAction(bytes32 projectId, Action calldata action) external;

    /// @notice Adds a score type; the caller must be an owner.
    function addScoreType(bytes32 projectId, string calldata name) external;

    /// @notice Makes an address an owner; the caller must be an owner.
    function addOwner(bytes32 projectId, address member) external;

    /// @notice Removes the owner's role from an address, which stays an updater if it is one. The caller must be an
    /// owner, and may remove itself unless it is the last.
    function removeOwner(bytes32 projectId, address member) external;

    /// @notice Makes an address an updater; the caller must be an owner.
    function addUpdater(bytes32 projectId, address member) external;

    /// @notice Removes the updater's role from an address, which stays an owner if it is one. The caller must be an
    /// owner.
    function removeUpdater(bytes32 projectId, address member) external;

    /// @notice Sets whether updates of the project count in signed groups only; the caller must be an owner. If set,
    /// a stolen relayer key cannot change a score of the project.
    function setSignedOnly(bytes32 projectId, bool signedOnly) external;

    /// @notice Executes edits that an owner signed; anyone may send them. They have the effects, events and errors of
    /// the calls above, with the owner as the caller: all of them in order, or none. Reverts with UnknownProject,
    /// EditExpired, WrongEditNonce, NotOwner or BadEditSignature, in this order, or with the error of an edit.
    ///
    /// The owner signs the EIP-712 data
    /// EditProject(bytes32 projectId,Edit[] edits,uint256 nonce,uint256 deadline)
    /// Edit(string operation,address member,string name,uint32 points,uint8 direction)
    /// in this contract's domain (ERC-5267). The signature has the form of EIP-2098. It must be that of a key: an
    /// owner that is a contract makes the calls above itself.
    /// @param edits An empty list uses up the nonce, and so revokes edits that were signed with it.
    /// @param owner The signer; must be an owner at the start of the call, even if one of the edits removes it.
    /// @param nonce The project's editNonce, which the call increments.
    /// @param deadline Unix time in seconds of the last block that may include the call.
    /// @param r The signature's r.
    /// @param vs The signature's s, with the parity of y in its highest bit.
    function editBySignature(
        bytes32 projectId,
        Edit[] calldata edits,
        address owner,
        uint256 nonce,
        uint256 deadline,
        bytes32 r,
        bytes32 vs
    ) external;

    /// @notice Applies one update with the caller as its signer, an owner or updater of the project. Checks in the
    /// order of a batch; reverts with UnknownProject, NotMember, DuplicateUpdate, UnknownAction or UnknownScoreType.
    /// @param actionName Name of the action; the newest of that name counts.
    function updateScore(
        bytes32 updateId,
        bytes32 projectId,
        string calldata actionName,
        string calldata scoreType,
        address targetWallet
    ) external;

    /// @notice Applies a batch of updates; only a relayer may. An update that cannot apply is skipped with its
    /// outcome and leaves its updateId unused. Only malformed framing reverts.
    ///
    /// Each update is checked in this order, and the first failure is its outcome: project exists (2), signer is a
    /// member (3), the group is signed if the project accepts no others (8), its signature is the signer's (9),
    /// updateId unused (1), action exists (4), score type exists (5).
    /// @param data One or more groups, without padding, integers big-endian:
    ///
    ///     group   kind(1) projectId(32) signer(20) signature(64) body
    ///     kind    1, 2 or 3, and flags: 0x10 no projectId, the previous group's applies; 0x20 no signer, likewise;
    ///             0x40 no word in the body, that of the last group with a word applies; 0x80 there is a signature,
    ///             which requires a word in the body
    ///     1       word(31) start(1) length(1) mask(length), then a record for each bit of the mask, lowest first:
    ///             target(20) scoreType(1) action(1). updateId = word << 8 | start * 8 + the bit's place, which is
    ///             below 256. The mask is not 0.
    ///     2       word(31) runs(2), then each run: target(20) scoreType(1) more(1) and
    ///             (1 + more) x [ low(1) action(1) ]. updateId = word << 8 | low. There is at least one run.
    ///     3       runs(2), then each run: target(20) scoreType(1) more(1) and
    ///             (1 + more) x [ updateId(32) action(1) ]
    ///
    /// The signer signs the EIP-712 data UpdateGroup(bytes32 projectId,uint8 kind,bytes updates) in this contract's
    /// domain (ERC-5267); kind is 1, 2 or 3 and updates the body. The signature has the form of EIP-2098: r(32), then
    /// s with the parity of y in its highest bit.
    function applyBatch(bytes calldata data) external;

    // ---------------------------------------------------------------------------------------------------- views

    /// @notice Returns the contract's data about a project; all zero if there is none.
    function getProject(bytes32 projectId) external view returns (ProjectInfo memory);

    /// @notice Returns each account's roles in the project, as bits: 1 updater, 2 owner.
    function getRoles(bytes32 projectId, address[] calldata accounts) external view returns (uint8[] memory);

    /// @notice Returns the signed points of each of the project's actions, by index.
    function getActions(bytes32 projectId) external view returns (int64[] memory);

    /// @notice Returns the index of the newest action of that name. Reverts with UnknownAction.
    function getActionIndex(bytes32 projectId, string calldata name) external view returns (uint8);

    /// @notice Returns the index of the score type of that name. Reverts with UnknownScoreType.
    function getScoreTypeIndex(bytes32 projectId, string calldata name) external view returns (uint8);

    /// @notice Reports whether each updateId is used up.
    function getUsed(bytes32 projectId, bytes32[] calldata updateIds) external view returns (bool[] memory);

    /// @notice Returns a wallet's score of the named score type; 0 before its first update. Reverts with
    /// UnknownScoreType.
    function getScore(bytes32 projectId, address wallet, string calldata scoreType) external view returns (int64);

    /// @notice Returns a wallet's scores of all the project's score types, by index.
    function getWalletScores(bytes32 projectId, address wallet) external view returns (int64[] memory);

    /// @notice Returns many scores: the i-th is that of wallets[i] and the score type with index scoreTypes[i]; 0 if
    /// there is none. Reverts with LengthMismatch.
    function getScores(bytes32 projectId, address[] calldata wallets, uint8[] calldata scoreTypes)
        external
        view
        returns (int64[] memory);
}
