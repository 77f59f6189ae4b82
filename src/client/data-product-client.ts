import { baseAddress, checkedToken } from './address.ts';
import { badParameter } from './data-product-error.ts';
import { DqGroup } from './dq-group.ts';
import { FollowersGroup } from './followers-group.ts';
import { laterGroup } from './later-group.ts';
import { NotificationsGroup } from './notifications-group.ts';
import { PerspectivesGroup } from './perspectives-group.ts';
import { QueryGroup } from './query-group.ts';
import { ActivityGroup, MetadataGroup } from './resource-groups.ts';
import { Transport } from './transport.ts';

export interface DataProductClientOptions {
  /** Of the platform; may begin with `http://` and end with a port. */
  readonly fqdn: string;
  readonly dpName: string;
  readonly accessToken: string;
  readonly tenant: string;
  /** 30,000 when absent. */
  readonly timeoutMs?: number;
  /** Further attempts after a broken connection, 429, 502 or 503; 3 when absent. */
  readonly retries?: number;
  /** The path segment of the platform; `plinth` when absent. */
  readonly service?: string;
  /** The platform's own when absent. */
  readonly fetch?: typeof fetch;
}

/** One data product; its seven groups of operations are properties. Works wherever there is fetch, browsers included. */
export class DataProductClient {
  readonly baseUrl: string;
  readonly metadata: MetadataGroup;
  readonly query: QueryGroup;
  readonly activity: ActivityGroup;
  readonly dq: DqGroup;
  readonly perspectives: PerspectivesGroup;
  readonly notifications: NotificationsGroup;
  readonly followers: FollowersGroup;

  constructor(options: DataProductClientOptions) {
    const { fqdn, dpName, tenant, timeoutMs = 30_000, retries = 3, service = 'plinth' } = options ?? {};
    if (!(timeoutMs > 0)) throw badParameter('timeoutMs', 'must be a number above 0');
    this.baseUrl = baseAddress({ fqdn, dpName, tenant, service });
    const transport = new Transport({
      baseUrl: this.baseUrl,
      token: checkedToken(options?.accessToken),
      timeoutMs,
      retries,
      // Browsers refuse a fetch that is called on anything but the window.
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    });
    this.metadata = laterGroup<MetadataGroup>('metadata', new MetadataGroup(transport));
    this.query = new QueryGroup(transport);
    this.activity = laterGroup<ActivityGroup>('activity', new ActivityGroup(transport));
    this.dq = laterGroup<DqGroup>('dq', new DqGroup(transport));
    this.perspectives = laterGroup<PerspectivesGroup>('perspectives', new PerspectivesGroup(transport));
    this.notifications = laterGroup<NotificationsGroup>('notifications', new NotificationsGroup(transport));
    this.followers = laterGroup<FollowersGroup>('followers', new FollowersGroup(transport));
  }
}
