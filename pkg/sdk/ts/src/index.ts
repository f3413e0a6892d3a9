export { maxRange, IdRange, Minter } from './ids.js'
export type { Hex } from './ids.js'
export { DomainError, domainType } from './domain.js'
export type { Domain, SigningDomain } from './domain.js'
export { buildGroups, Kind, maxSigned, signGroup, typedData } from './groups.js'
export type { Group, SignedGroup, SignTypedData, TypedData, Update } from './groups.js'
export { actionIndex, ApiError, Client, retry, scoreTypeIndex } from './client.js'
export type {
  Action, ClientOptions, FieldError, NamedUpdate, NewProject, Project, SignMessage, Status, UpdateStatus,
} from './client.js'
