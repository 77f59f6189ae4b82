import { envelope, runPlinth, temporaryProject } from '../e2e/run-plinth.ts';
import { EXPECTATIONS } from './expectations.ts';
import { type PeerTable, peerTables, type Variant } from './peer-data.ts';

/** What one tool says of one check, with what it measured and how many rows it found wrong, where it tells. */
export interface PeerVerdict {
  readonly outcome: string;
  readonly values: readonly number[];
}

export type Verdicts = Readonly<Record<string, PeerVerdict>>;

/** Verdicts of this program: on the checks of Soda as `plinth import soda` writes them, and on the ported expectations. */
export interface OurVerdicts {
  readonly soda: Verdicts;
  readonly gx: Verdicts;
  /** Outcomes of the import, by check. */
  readonly imported: Readonly<Record<string, string>>;
}

/** Builds the tables of a variant with `plinth plan`, imports the checks, and runs `plinth check`. */
export async function ourVerdicts(variant: Variant, sodaChecks: string): Promise<OurVerdicts> {
  const tables = peerTables(variant);
  const project = temporaryProject({
    'config.yaml':
      'model_defaults: {dialect: duckdb, start: 2025-01-01}\ngateways: {local: {connection: {type: duckdb, database: peers.duckdb}}}\ndefault_gateway: local\n',
    ...Object.fromEntries(tables.flatMap((table) => filesOf(table))),
    'soda/checks.yml': sodaChecks,
    'dq/gx.yml': expectationsPack(),
  });
  try {
    const run = async (...args: string[]): Promise<Record<string, unknown>> => {
      const ended = await runPlinth([...args, '--json'], { cwd: project.folder });
      const { data, error, diagnostics } = envelope(ended);
      if (data === undefined || error !== undefined)
        throw new Error(`plinth ${args.join(' ')}: ${JSON.stringify([error, diagnostics])}${ended.stderr}`);
      return data;
    };
    const imported = await run('import', 'soda', 'soda');
    await run('plan', '--yes');
    // The peers were asked long after the newest row.
    const checked = await run('check', '--execution-time', '2026-11-01');
    const results = checked['results'] as readonly Record<string, unknown>[];
    const of = (isOf: (pack: string) => boolean): Verdicts =>
      Object.fromEntries(
        results
          .filter(({ pack }) => isOf(String(pack)))
          .map((result) => [
            String(result['rule']),
            {
              outcome: String(result['outcome']),
              values: [result['value'], result['rows_failed']].filter((each) => typeof each === 'number'),
            },
          ]),
      );
    const outcomes = imported['checks'] as readonly {
      readonly rules: readonly string[];
      readonly outcome: string;
      readonly check: string;
    }[];
    return {
      soda: of((pack) => pack.startsWith('soda_')),
      gx: of((pack) => pack === 'gx'),
      imported: Object.fromEntries(outcomes.map(({ rules, outcome, check }) => [rules[0] ?? check, outcome])),
    };
  } finally {
    project.remove();
  }
}

function filesOf({ name, columns, csv }: PeerTable): readonly (readonly [string, string])[] {
  const types = Object.entries(columns).map(([column, type]) => `'${column}': '${type}'`);
  return [
    [`data/${name}.csv`, csv],
    [
      `models/${name}.sql`,
      `MODEL (name checked.${name}, kind FULL);\nSELECT * FROM read_csv('data/${name}.csv', header = true, columns = {${types.join(', ')}})\n`,
    ],
  ];
}

/** The ported expectations as a pack; JSON is YAML. */
function expectationsPack(): string {
  const rules = EXPECTATIONS.map(({ name, rule, options }) => ({ [rule]: { ...options, name } }));
  return JSON.stringify({ kind: 'dq', name: 'gx', depends_on: 'checked.orders', rules });
}
