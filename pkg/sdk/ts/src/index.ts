export { maxRange, IdRange, Minter } from './ids.js'
export type { Hex } from './ids.js'
export { DomainError, domainType } from './domain.js'
export type { Domain, Field, SigningDomain, SignTypedData, TypedData } from './domain.js'
export { buildGroups, Kind, maxSigned, signGroup, typedData } from './groups.js'
export type { Group, SignedGroup, Update } from './groups.js'
export { actionIndex, ApiError, Client, maxLookUp, retry, scoreTypeIndex, updateTypedData } from './client.js'
export { maxWallets, total } from './reads.js'
export type { AsOf, FinalScores, History, HistoryEntry, Leaderboard, Page, ProjectList, Standing, Stats } from './reads.js'
export type {
  Action, ClientOptions, FieldError, GroupResult, LookedUp, NamedUpdate, NewProject, Project, Scores, SignMessage, Status, UpdateAccepted, UpdateStatus, WholeUpdate,
} from './client.js'
