/*
 * What a state knows of checks and profiles, as text that two folders can be compared by: data versions, times, ids and how long
 * something took are other ones each time.
 */
import { decompress } from '../../src/adapters/state/sql/stored-text.ts';
import type { CheckResult, Incident } from '../../src/domain/check-result.ts';
import type { TableProfile } from '../../src/domain/table-profile.ts';
import { PROFILED_COLUMNS, rulesOf } from './checked-project.ts';
import { type StateRow, stateRows } from './kill-state.ts';

const bodyOf = <Body>({ body }: StateRow): Body => JSON.parse(decompress(body as Uint8Array)) as Body;

function verdictOf(result: CheckResult): string {
  const {
    check,
    outcome,
    value,
    rowsTested,
    rowsFailed,
    reason,
    expected,
    baseline,
    groups,
    shares,
    sample,
  } = result;
  // Which of the failing rows are shown is chance.
  const shown = sample?.rows.length;
  return `${check} ${JSON.stringify({ outcome, value, rowsTested, rowsFailed, reason, expected, baseline, groups, shares, shown })}`;
}

/** Without what it was compared with: that is named by its id. */
function lookOf({ model, rows, columns }: TableProfile): string {
  const looks = columns.map(({ drift, ...column }) => ({
    ...column,
    drift: [drift?.previous, drift?.baseline].map(
      (each) => each && { psi: each.psi, nullRate: each.nullRate, isDrifted: each.isDrifted },
    ),
  }));
  return `${model} ${rows} ${JSON.stringify(looks)}`;
}

const RESULTS = 'SELECT r.run_id, r.model, r.body FROM check_results r ORDER BY r.id';
const NEWEST =
  'SELECT r.body FROM check_standings s JOIN check_results r ON r.id = s.latest_id ORDER BY s.check_name';

/** The newest verdict of each check, the newest profile of each model, incidents and what was told of them. */
export async function knownQuality(
  folder: string,
  { isCounted }: { readonly isCounted: boolean },
): Promise<string> {
  const newest = (await stateRows(folder, NEWEST)).map((row) => verdictOf(bodyOf(row)));
  const profiles = (await stateRows(folder, 'SELECT body FROM profiles ORDER BY id')).map((row) =>
    bodyOf<TableProfile>(row),
  );
  const looks = [...Map.groupBy(profiles, ({ model }) => model).values()].map((each) =>
    lookOf(each.at(-1) as TableProfile),
  );
  const incidents = (await stateRows(folder, 'SELECT body FROM incidents ORDER BY check_name, id')).map(
    ({ body }) => {
      const { check, closedAt, failures } = JSON.parse(body as string) as Incident;
      return `incident ${check} ${closedAt === undefined ? 'open' : 'closed'}${isCounted ? ` ${failures}` : ''}`;
    },
  );
  const told = await stateRows(
    folder,
    "SELECT event, model, count(*) AS n FROM events WHERE event LIKE 'dq.%' OR event LIKE 'incident.%' GROUP BY event, model ORDER BY 1, 2",
  );
  return [
    ...newest,
    ...looks.toSorted(),
    ...incidents,
    ...told.map((row) => JSON.stringify(Object.values(row))),
  ].join('\n');
}

/** What is there of the work that was killed. */
export interface HalfDone {
  readonly checked: number;
  readonly profiled: number;
  /** Models of which only a part is there; verdicts and profiles that no undisturbed run comes to. */
  readonly problems: readonly string[];
}

/** Results and profiles beyond those that were there before, of which each must be whole and one of those that are right. */
export async function halfDone(
  folder: string,
  before: { readonly results: number; readonly profiles: number },
  right: { readonly verdicts: ReadonlySet<string>; readonly looks: ReadonlySet<string> },
): Promise<HalfDone> {
  const results = (await stateRows(folder, RESULTS)).slice(before.results);
  const profiles = (await stateRows(folder, 'SELECT body FROM profiles ORDER BY id')).slice(before.profiles);
  const models = Map.groupBy(results, ({ run_id: run, model }) => `${run} ${model}`);
  const problems: string[] = [];
  for (const [key, each] of models) {
    const wanted = rulesOf(Number(/\d+$/.exec(key)?.[0]));
    if (each.length !== wanted) problems.push(`${key} has ${each.length} of ${wanted} results`);
  }
  for (const row of results) {
    const verdict = verdictOf(bodyOf(row));
    if (!right.verdicts.has(verdict)) problems.push(`a false result: ${verdict}`);
  }
  for (const row of profiles) {
    const profile = bodyOf<TableProfile>(row);
    const names = profile.columns.map(({ name }) => name);
    if (names.join() !== PROFILED_COLUMNS.join()) problems.push(`a part of a profile: ${names.join()}`);
    if (!right.looks.has(lookOf(profile))) problems.push(`a false profile: ${lookOf(profile)}`);
  }
  return { checked: models.size, profiled: profiles.length, problems };
}

/** All verdicts and profiles of a state, and how many there are. */
export async function rightQuality(folder: string): Promise<{
  readonly verdicts: ReadonlySet<string>;
  readonly looks: ReadonlySet<string>;
  readonly results: number;
  readonly profiles: number;
}> {
  const results = await stateRows(folder, RESULTS);
  const profiles = await stateRows(folder, 'SELECT body FROM profiles ORDER BY id');
  return {
    verdicts: new Set(results.map((row) => verdictOf(bodyOf(row)))),
    looks: new Set(profiles.map((row) => lookOf(bodyOf(row)))),
    results: results.length,
    profiles: profiles.length,
  };
}
