import type {
  CategorizeMode,
  Config,
  Connection,
  EngineType,
  Gateway,
  ModelDefaults,
  NotificationTarget,
  PatternMapping,
  PlanSettings,
} from '../../../domain/config.ts';
import { environmentName } from '../../../domain/environment.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Dialect, dialectOf } from '../../../foundation/sql/dialect.ts';
import type { RecordEntry } from '../../../foundation/yaml/collection-schemas.ts';
import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';
import { auditUse } from '../yaml/audit-use.ts';
import { present } from '../yaml/present.ts';
import type { ConfigValue, GatewayValue, ModelDefaultsValue } from './config-schema.ts';
import type { connectionSchema, notificationTargetSchema } from './connection-schemas.ts';
import { serverLimits } from './server-schema.ts';

/** The name of a folder as a valid product name. */
export function productName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 60);
  return name === '' ? 'product' : name;
}

/** The typed configuration: every default filled in, SQLMesh's keys moved to where their settings live here. */
export function buildConfig(
  value: ConfigValue,
  source: { readonly file?: string; readonly folderName: string },
): Config {
  const { gateways, defaultGateway } = buildGateways(value, source.file ?? '');
  const dialect = dialectOf(gateways[defaultGateway]?.connection.type ?? 'duckdb') ?? 'duckdb';
  const environments = value.environments;
  return {
    ...(source.file === undefined ? {} : { file: source.file }),
    name: value.name ?? productName(value.project ?? source.folderName),
    tenant: value.tenant ?? 'default',
    ...present({
      displayName: value.display_name,
      description: value.description,
      version: value.version,
      domain: value.domain,
      owner: value.owner?.value,
    }),
    tags: value.tags ?? [],
    terms: value.terms ?? [],
    isDiscoverable: value.discoverable ?? true,
    users: (value.users ?? []).map((user) => ({
      username: user.username,
      ...present({ email: user.email }),
      groups: user.groups ?? [],
      notificationTargets: (user.notification_targets ?? []).map(buildTarget),
    })),
    gateways,
    defaultGateway,
    modelDefaults: {
      ...NO_DEFAULTS,
      dialect,
      ...buildModelDefaults(value.model_defaults, source.file ?? ''),
    },
    variables: lowerKeys(value.variables),
    environments: {
      defaultTarget: environments?.default_target ?? value.default_target_environment ?? 'prod',
      ttl: environments?.ttl ?? value.environment_ttl ?? '1 week',
      suffixTarget: environments?.suffix_target ?? value.environment_suffix_target ?? 'schema',
      pinned: environments?.pinned ?? value.pinned_environments ?? [],
      catalogs: mappings(environments?.catalogs ?? value.environment_catalog_mapping),
    },
    plan: buildPlan(value),
    run: { maxParallel: value.run?.max_parallel ?? 4 },
    janitor: { snapshotTtl: value.janitor?.snapshot_ttl ?? value.snapshot_ttl ?? '1 week' },
    retention: {
      runs: value.retention?.runs ?? '90 days',
      events: value.retention?.events ?? '30 days',
      plans: value.retention?.plans ?? '90 days',
      statements: value.retention?.statements ?? '7 days',
      leases: value.retention?.leases ?? '30 days',
      auditLog: value.retention?.audit_log ?? '1 year',
      quality: value.retention?.quality ?? '90 days',
    },
    linter: linterSettings(value.linter, source.file),
    format: {
      indent: value.format?.indent ?? 2,
      maxTextWidth: value.format?.max_text_width ?? 100,
      leadingComma: value.format?.leading_comma ?? false,
      appendNewline: value.format?.append_newline ?? true,
      normalize: value.format?.normalize ?? false,
      normalizeFunctions: functionCase(value.format?.normalize_functions),
      rewriteCasts: value.format?.no_rewrite_casts === false,
    },
    notificationTargets: (value.notification_targets ?? []).map(buildTarget),
    access: (value.access ?? []).map(
      ({ principal, role, models = [], environments: asked = [], policies }) => ({
        principal: principal.value,
        ...present({ role }),
        models: models.map((model) => ({ ...model, value: model.value.toLowerCase() })),
        environments: asked.map(environmentName),
        isExempt: policies === 'exempt',
      }),
    ),
    slo: {
      ...(value.slo?.freshness === undefined
        ? {}
        : {
            freshness: {
              maxAge: value.slo.freshness.max_age,
              ...present({ model: value.slo.freshness.model?.value }),
            },
          }),
      ...present({ availability: value.slo?.availability }),
    },
    beforeAll: value.before_all ?? [],
    afterAll: value.after_all ?? [],
    server: present({
      service: value.server?.service,
      jwt: value.server?.jwt,
      hosts: value.server?.hosts,
      public_url: value.server?.public_url,
      ...{ cors: value.server?.cors, webhooks: value.server?.webhooks },
    }) as DataRecord,
    limits: serverLimits(value.server?.limits),
    state: { isDurable: value.state?.synchronous === 'full' },
    ignorePatterns: value.ignore_patterns ?? [],
    timeColumnFormat: value.time_column_format ?? '%Y-%m-%d',
    sensitive: [],
  };
}

const NO_DEFAULTS: Omit<ModelDefaults, 'dialect'> = {
  cron: '@daily',
  isEnabled: true,
  allowPartials: false,
  audits: [],
  preStatements: [],
  postStatements: [],
  onVirtualUpdate: [],
};

function buildModelDefaults(value: ModelDefaultsValue | undefined, file: string): Partial<ModelDefaults> {
  if (value === undefined) return {};
  return present({
    dialect: value.dialect as Dialect | undefined,
    cron: value.cron,
    cronTz: value.cron_tz,
    kind: value.kind === undefined ? undefined : buildKind(value.kind),
    intervalUnit: value.interval_unit,
    start: value.start,
    owner: value.owner,
    gateway: value.gateway?.value,
    onDestructiveChange: value.on_destructive_change,
    onAdditiveChange: value.on_additive_change,
    batchConcurrency: value.batch_concurrency,
    isEnabled: value.enabled,
    allowPartials: value.allow_partials,
    audits: value.audits?.map((use) => auditUse(use, file)),
    preStatements: value.pre_statements,
    postStatements: value.post_statements,
    onVirtualUpdate: value.on_virtual_update,
  });
}

function buildKind(value: NonNullable<ModelDefaultsValue['kind']>): { name: string; options: DataRecord } {
  if (typeof value === 'string') return { name: value, options: {} };
  const { name, ...options } = toRecord(value);
  return { name: typeof name === 'string' ? name : 'VIEW', options };
}

function buildGateways(
  value: ConfigValue,
  file: string,
): { gateways: Readonly<Record<string, Gateway>>; defaultGateway: string } {
  const shared =
    value.default_connection === undefined ? undefined : buildConnection(value.default_connection);
  const sharedTest =
    value.default_test_connection === undefined ? undefined : buildConnection(value.default_test_connection);
  const gateways: Record<string, Gateway> = {};
  for (const { key, value: gateway } of value.gateways ?? [])
    gateways[key.value] = buildGateway(key.value, gateway, { file, ...present({ shared, sharedTest }) });
  const first = Object.keys(gateways)[0];
  if (first === undefined)
    gateways['local'] = buildGateway('local', undefined, { file, ...present({ shared, sharedTest }) });
  const wanted = value.default_gateway?.value;
  return {
    gateways,
    defaultGateway: wanted !== undefined && Object.hasOwn(gateways, wanted) ? wanted : (first ?? 'local'),
  };
}

const EMBEDDED: Connection = { type: 'duckdb', options: { database: '.plinth/warehouse.duckdb' } };
const EMBEDDED_STATE: Connection = { type: 'sqlite', options: { database: '.plinth/state.db' } };
const IN_MEMORY: Connection = { type: 'duckdb', options: {} };

function buildGateway(
  name: string,
  value: GatewayValue | undefined,
  context: { readonly file: string; readonly shared?: Connection; readonly sharedTest?: Connection },
): Gateway {
  return {
    name,
    connection:
      value?.connection === undefined ? (context.shared ?? EMBEDDED) : buildConnection(value.connection),
    stateConnection:
      value?.state_connection === undefined ? EMBEDDED_STATE : buildConnection(value.state_connection),
    testConnection:
      value?.test_connection === undefined
        ? (context.sharedTest ?? IN_MEMORY)
        : buildConnection(value.test_connection),
    variables: lowerKeys(value?.variables),
    modelDefaults: buildModelDefaults(value?.model_defaults, context.file),
  };
}

function buildConnection({
  variant,
  value,
}: Pick<ValueOf<typeof connectionSchema>, 'variant' | 'value'>): Connection {
  const {
    type: _,
    $at,
    $broken,
    concurrent_tasks,
    register_comments,
    ...options
  } = value as DataRecord & {
    $at: unknown;
    $broken: unknown;
  };
  return {
    type: variant as EngineType,
    ...(typeof concurrent_tasks === 'number' ? { concurrentTasks: concurrent_tasks } : {}),
    ...(register_comments === false ? { hasComments: false } : {}),
    options,
  };
}

function buildTarget({ variant, value }: ValueOf<typeof notificationTargetSchema>): NotificationTarget {
  const { type: _, $at, notify_on, ...options } = value as unknown as DataRecord & { $at: unknown };
  return {
    type: variant === 'generic' ? 'console' : variant,
    notifyOn: notify_on as readonly string[],
    options,
  };
}

function buildPlan(value: ConfigValue): PlanSettings {
  const { plan } = value;
  const simple = typeof plan?.auto_categorize === 'string' ? plan.auto_categorize : 'full';
  const chosen =
    (typeof plan?.auto_categorize === 'object' ? plan.auto_categorize : plan?.auto_categorize_changes) ??
    value.auto_categorize_changes;
  const mode = (own: CategorizeMode | undefined): CategorizeMode => own ?? simple;
  return {
    autoCategorize: {
      sql: mode(chosen?.sql),
      python: mode(chosen?.python),
      seed: mode(chosen?.seed),
      external: mode(chosen?.external),
    },
    forwardOnly: plan?.forward_only ?? false,
    autoApply: plan?.auto_apply ?? false,
    noDiff: plan?.no_diff ?? false,
  };
}

function linterSettings(linter: ConfigValue['linter'], file: string | undefined): Config['linter'] {
  return {
    isEnabled: linter?.enabled ?? true,
    rules: ruleNames(linter?.rules),
    warnRules: ruleNames(linter?.warn_rules),
    ignoredRules: ruleNames(linter?.ignored_rules),
    ignoredIn: (linter?.ignored_in ?? []).map(({ key, value }) => ({
      pattern: key.value,
      rules: ruleNames(value),
    })),
    ruleRanges: ruleRanges(linter, file),
  };
}

type RuleNames = NonNullable<ConfigValue['linter']>['rules'];

function ruleNames(written: RuleNames): readonly string[] | 'ALL' {
  return typeof written === 'string' ? written : (written ?? []).map(({ value }) => value);
}

/** The first place of each rule; rules from environment variables have none. */
function ruleRanges(
  linter: ConfigValue['linter'],
  file: string | undefined,
): Readonly<Record<string, SourceRange>> {
  const ranges: Record<string, SourceRange> = {};
  if (file === undefined) return ranges;
  const ofFiles = (linter?.ignored_in ?? []).map(({ value }) => value);
  for (const written of [linter?.rules, linter?.warn_rules, linter?.ignored_rules, ...ofFiles])
    for (const rule of typeof written === 'object' ? written : [])
      if (!Object.hasOwn(ranges, rule.value) && rule.end > rule.start)
        ranges[rule.value] = rangeOf(file, rule);
  return ranges;
}

function functionCase(value: boolean | 'upper' | 'lower' | undefined): 'upper' | 'lower' | 'off' {
  if (value === true) return 'upper';
  return value === 'upper' || value === 'lower' ? value : 'off';
}

function mappings(entries: readonly RecordEntry<string>[] | undefined): readonly PatternMapping[] {
  return (entries ?? []).map(({ key, value }) => ({ pattern: key.value, target: value }));
}

function toRecord(entries: readonly RecordEntry<Data>[] | undefined): DataRecord {
  return Object.fromEntries((entries ?? []).map(({ key, value }) => [key.value, value]));
}

function lowerKeys(entries: readonly RecordEntry<Data>[] | undefined): DataRecord {
  return Object.fromEntries((entries ?? []).map(({ key, value }) => [key.value.toLowerCase(), value]));
}
