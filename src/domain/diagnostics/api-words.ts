/*
 * Diagnostics in terms of the APIs. The catalog's words are those of the command line; a caller of the server has no
 * commands, but addresses and fields:
 *
 *   `plinth runs lists the runs` ─▶ `GET /activity/runs lists the runs`      --skip-backfill ─▶ skip_backfill
 *
 * A hint that names a command without an address is left out. Paths of the server's files are removed.
 */
import { withoutHiddenPaths } from '../hidden-paths.ts';
import type { DiagnosticCode } from './catalog.ts';

const REPEAT = 'send the request again';

const HINTS: Readonly<Partial<Record<DiagnosticCode, string>>> = {
  'auth.missing':
    'send Authorization: Bearer <token>, to the Platform API apikey: <token>; POST /platform-api/v1/tenants/{tenant}/tokens makes one',
  'auth.invalid':
    'it may be mistyped, expired or revoked, or be a token that the Platform API takes as apikey only; POST /platform-api/v1/tenants/{tenant}/tokens makes a new one',
  'plan.engine-refuses': 'fix the query of the model, then POST /activity/plans again',
  'plan.tests-fail': 'fix the models or their tests, then POST /activity/plans again',
  'audit.cannot-run': 'GET /activity/runs/{id} shows each of them',
  'cli.bad-value': 'openapi.json says what it takes',
  'cli.git-failed': 'leave git: out of the selection, or serve the folder of a git repository',
  'config.python-not-supported': 'write the settings into config.yaml of the project',
  'engine.held-elsewhere':
    'the server must be able to reach what holds its database, or be the one that opens it',
  'engine.lost': `${REPEAT}; it is idempotent: committed work is not done twice`,
  'engine.conflict': REPEAT,
  'engine.disk-full': `free some space where the server runs and ${REPEAT}`,
  'lint.no-select-star': 'list the columns',
  'lint.unused-cte': 'remove it',
  'lint.null-comparison': 'write IS NULL or IS NOT NULL',
  'quarantine.nothing-held': 'choose other rows, or all of them',
  'plan.widens-access': 'read wider_access of the plan, then apply it with allow_wider_access: true',
  'project.no-folder': 'the server needs the folder of a project that is still there',
  'project.nothing-found': 'the server needs a folder with a config.yaml or a models folder',
  'project.unknown-model': 'GET /metadata/models lists the models',
  'project.unknown-column': 'GET /metadata/models/{name} lists the columns',
  'query.not-allowed':
    'GET /metadata/models lists the models, GET /metadata/models/{name} the columns of one',
  'query.unknown-model': 'GET /metadata/models lists the models',
  'metric.unknown': 'GET /metadata/semantic lists those there are',
  'plan.unknown-model': 'GET /metadata/models lists the models; use * for part of a name',
  'plan.loss-while-filling':
    'plan with skip_backfill and apply it, then fill with POST /activity/runs; or let the table be rebuilt (category breaking)',
  'plan.category-needed': 'give it in categories: {"<model>": "breaking"} (or non-breaking, or forward-only)',
  'plan.no-promotion': 'GET /activity/plans?status=applied lists the plans that were applied',
  'sql.star-not-expanded': 'declare the table in external_models.yaml, or list the columns',
  'state.connection-lost': `check that the server of the state runs and can be reached, and ${REPEAT}`,
  'state.lease-lost': REPEAT,
  'state.mismatch': 'the server must be started with state and warehouse that belong together',
  'state.snapshot-differs': 'report this as a bug, with the correlation id',
  'state.unreadable': 'restore the state file from a copy; the tables in the warehouse are untouched',
  'state.write-failed': `make room on the disk of the server, check its permissions, and ${REPEAT}`,
  'environment.busy': 'wait for it; GET /activity/runs?status=running shows what is running',
  'environment.unknown': 'POST /activity/plans makes it, when the plan is applied',
  'environment.view-lost': 'POST /activity/plans, applied, makes it again',
  'environment.view-replaced':
    'POST /activity/plans, applied, makes it again; drop it first when it reads no table of Plinth',
  'environment.column-lost':
    'bring the column back, or drop the table: POST /activity/plans, applied, then fills it again',
  'environment.out-of-step':
    'bring back the copy of both files that belongs together, or POST /activity/plans, applied, which makes all views again',
  'run.nothing-restated': `${REPEAT}: state and warehouse are compared first`,
  'run.lease-lost': 'look at GET /activity/runs, then start it again',
  'run.cancelled': 'start it again: it goes on with what is left',
  'run.bug': 'report it with the id of the run; the log of the server has the details',
};

/** Options of the command line whose fields are called otherwise; the rest only changes its dashes. */
const FIELDS: Readonly<Record<string, string>> = {
  'restate-model': 'restate_models',
  'allow-destructive-model': 'allow_destructive_models',
  category: 'categories',
};

const OPTION = /(?<![\w-])--([a-z][a-z-]*)/g;
const COMMAND = /\bplinth [a-z]|\brun (?:it|the command) again\b|Ctrl-C/;

/** The same diagnostic in the words of a caller over HTTP. */
export function apiWords<
  What extends { readonly code: string; readonly message: string; readonly hint?: string },
>(what: What): What {
  const { hint: _, ...rest } = what;
  const hint = apiHint(what);
  return {
    ...rest,
    message: withoutHiddenPaths(withFields(what.message)),
    ...(hint === undefined ? {} : { hint: withoutHiddenPaths(hint) }),
  } as What;
}

function apiHint({ code, hint }: { readonly code: string; readonly hint?: string }): string | undefined {
  if (hint === undefined) return undefined;
  const isOfCommands = COMMAND.test(hint) || OPTION.test(hint) || hint.includes('the command');
  OPTION.lastIndex = 0;
  if (!isOfCommands) return hint;
  const own = HINTS[code as DiagnosticCode];
  if (own !== undefined) return own;
  const worded = withFields(hint);
  return COMMAND.test(worded) || worded.includes('the command') ? undefined : worded;
}

const withFields = (text: string): string =>
  text.replaceAll(OPTION, (_, name: string) => FIELDS[name] ?? name.replaceAll('-', '_'));
