/** How each column of an export is written. */
type Encoding = 'plain' | 'json' | 'compressed';

export interface TransferredTable {
  readonly columns: Readonly<Record<string, Encoding>>;
  readonly order: string;
}

/** Every table but `meta`, `lost_leases`, `kept_answers` and those of statements, all of which last a day or less; by name. */
export const TRANSFERRED_TABLES: Readonly<Record<string, TransferredTable>> = {
  texts: { columns: { hash: 'plain', text: 'plain' }, order: 'hash' },
  contents: { columns: { fingerprint: 'plain', content: 'json', texts: 'json' }, order: 'fingerprint' },
  snapshots: { columns: { fingerprint: 'plain', model: 'plain', head: 'json' }, order: 'model, fingerprint' },
  plans: {
    columns: {
      id: 'plain',
      environment: 'plain',
      created_at: 'plain',
      who: 'plain',
      status: 'plain',
      changes: 'plain',
      stages: 'plain',
      base_promotion_id: 'plain',
      fingerprints: 'json',
      body: 'compressed',
    },
    order: 'rowid',
  },
  promotions: {
    columns: {
      sequence: 'plain',
      id: 'plain',
      environment: 'plain',
      at: 'plain',
      plan_id: 'plain',
      body: 'compressed',
    },
    order: 'sequence',
  },
  environments: { columns: { name: 'plain', promotion_id: 'plain', expires_at: 'plain' }, order: 'name' },
  promotion_intents: {
    columns: { environment: 'plain', run_id: 'plain', body: 'compressed' },
    order: 'environment',
  },
  runs: {
    columns: {
      id: 'plain',
      environment: 'plain',
      status: 'plain',
      plan_id: 'plain',
      started_at: 'plain',
      body: 'compressed',
    },
    order: 'rowid',
  },
  intents: {
    columns: { id: 'plain', run_id: 'plain', environment: 'plain', at: 'plain', stage: 'json' },
    order: 'id',
  },
  leases: {
    columns: { name: 'plain', token: 'plain', since: 'plain', expires_at: 'plain', who: 'plain' },
    order: 'name',
  },
  intervals: {
    columns: {
      key: 'plain',
      model: 'plain',
      version: 'plain',
      filled: 'json',
      data_version: 'plain',
      recent: 'json',
    },
    order: 'key',
  },
  restatements: {
    columns: {
      key: 'plain',
      model: 'plain',
      version: 'plain',
      ranges: 'json',
      since_token: 'plain',
      plan_id: 'plain',
    },
    order: 'key',
  },
  events: {
    columns: {
      sequence: 'plain',
      at: 'plain',
      event: 'plain',
      environment: 'plain',
      run_id: 'plain',
      model: 'plain',
      data: 'json',
    },
    order: 'sequence',
  },
  tenants: { columns: { name: 'plain', created_at: 'plain' }, order: 'name' },
  principals: {
    columns: {
      id: 'plain',
      tenant: 'plain',
      name: 'plain',
      kind: 'plain',
      role: 'plain',
      is_platform_admin: 'plain',
      groups: 'json',
      created_at: 'plain',
    },
    order: 'id',
  },
  tokens: {
    columns: {
      id: 'plain',
      hash: 'plain',
      principal_id: 'plain',
      name: 'plain',
      scopes: 'json',
      created_at: 'plain',
      expires_at: 'plain',
      last_used_at: 'plain',
      revoked_at: 'plain',
      parent_id: 'plain',
    },
    order: 'id',
  },
  grants: {
    columns: {
      tenant: 'plain',
      product: 'plain',
      principal: 'plain',
      request_id: 'plain',
      role: 'plain',
      created_at: 'plain',
      expires_at: 'plain',
    },
    order: 'tenant, product, principal, request_id',
  },
  groups: { columns: { tenant: 'plain', name: 'plain', created_at: 'plain' }, order: 'tenant, name' },
  access_requests: {
    columns: {
      id: 'plain',
      tenant: 'plain',
      product: 'plain',
      principal_id: 'plain',
      status: 'plain',
      body: 'json',
    },
    order: 'id',
  },
  audit_log: {
    columns: {
      sequence: 'plain',
      at: 'plain',
      tenant: 'plain',
      actor: 'plain',
      action: 'plain',
      target: 'plain',
      outcome: 'plain',
      correlation_id: 'plain',
    },
    order: 'sequence',
  },
  check_results: {
    columns: {
      id: 'plain',
      environment: 'plain',
      check_name: 'plain',
      model: 'plain',
      run_id: 'plain',
      at: 'plain',
      outcome: 'plain',
      value: 'plain',
      data_version: 'plain',
      body: 'compressed',
    },
    order: 'id',
  },
  check_statuses: {
    columns: {
      environment: 'plain',
      check_name: 'plain',
      model: 'plain',
      latest_id: 'plain',
      evaluated_id: 'plain',
      outcome: 'plain',
    },
    order: 'environment, check_name',
  },
  incidents: {
    columns: {
      id: 'plain',
      environment: 'plain',
      check_name: 'plain',
      model: 'plain',
      opened_at: 'plain',
      closed_at: 'plain',
      body: 'json',
    },
    order: 'id',
  },
  profiles: {
    columns: {
      id: 'plain',
      environment: 'plain',
      model: 'plain',
      run_id: 'plain',
      at: 'plain',
      body: 'compressed',
    },
    order: 'id',
  },
  notification_settings: {
    columns: {
      kind: 'plain',
      id: 'plain',
      owner_id: 'plain',
      target: 'plain',
      party: 'plain',
      since: 'plain',
      body: 'json',
    },
    order: 'kind, id',
  },
  notification_cursor: {
    columns: {
      name: 'plain',
      sequence: 'plain',
      home: 'plain',
    },
    order: 'name',
  },
  notification_targets: {
    columns: {
      name: 'plain',
      since: 'plain',
    },
    order: 'name',
  },
  deliveries: {
    columns: {
      id: 'plain',
      sequence: 'plain',
      event: 'plain',
      severity: 'plain',
      subscriber: 'plain',
      owner_id: 'plain',
      status: 'plain',
      due_at: 'plain',
      batch: 'plain',
      created_at: 'plain',
      finished_at: 'plain',
      attempted: 'plain',
      attempts: 'json',
    },
    order: 'id',
  },
  delivery_queues: {
    columns: {
      subscriber: 'plain',
      due_at: 'plain',
    },
    order: 'subscriber',
  },
  inbox_items: {
    columns: {
      id: 'plain',
      principal_id: 'plain',
      sequence: 'plain',
      at: 'plain',
      severity: 'plain',
      because: 'json',
      read_at: 'plain',
    },
    order: 'id',
  },
  perspectives: {
    columns: {
      id: 'plain',
      names: 'plain',
      slug: 'plain',
      owner_id: 'plain',
      owner_name: 'plain',
      visibility: 'plain',
      version: 'plain',
      is_refreshed: 'plain',
      words: 'plain',
      body: 'json',
    },
    order: 'id',
  },
  perspective_shares: { columns: { key: 'plain', slug: 'plain', id: 'plain' }, order: 'key, slug, id' },
  perspective_versions: {
    columns: { id: 'plain', version: 'plain', body: 'json' },
    order: 'id, version',
  },
};
