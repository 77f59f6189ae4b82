/** The client of the Data Product API: `import { DataProductClient } from 'plinth/client'`. It imports nothing of the rest of the package. */

export { DataProductClient, type DataProductClientOptions } from './data-product-client.ts';
export { DataProductError, type ProblemEntry } from './data-product-error.ts';
export type {
  CheckOutcome,
  DqGroup,
  IncidentListOptions,
  ResultListOptions,
  RuleListOptions,
} from './dq-group.ts';
export type { FollowersGroup } from './followers-group.ts';
export type { LaterGroup } from './later-group.ts';
export type { NotificationsGroup } from './notifications-group.ts';
export type {
  IfMatch,
  PerspectiveFields,
  PerspectiveListOptions,
  PerspectiveResultOptions,
  PerspectivesGroup,
} from './perspectives-group.ts';
export type {
  ListOptions,
  MetricOptions,
  QueryGroup,
  ResultOptions,
  SqlOptions,
  SubmitOptions,
} from './query-group.ts';
export {
  type AnyRecord,
  isSuccessful,
  isTerminal,
  type Page,
  type ResultColumn,
  type Statement,
  type StatementResult,
} from './records.ts';
export type {
  ActivityGroup,
  EventFilters,
  EventListOptions,
  ExportFormat,
  MetadataGroup,
  ModelListOptions,
  PlanOptions,
  QueryActivityOptions,
  RunListOptions,
} from './resource-groups.ts';
export type { PageOptions } from './resource-requests.ts';
