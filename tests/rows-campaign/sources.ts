/** The tables that another program than Plinth writes, and what it does to them between the steps. */
import { createExternalSql, type External } from './definition.ts';
import { type Chance, chanceOf, dayText, msOf, type Row, type Type, timeText } from './values.ts';

export type DataChange = 'late' | 'delete' | 'change' | 'bad' | 'repair' | 'retype';

/** Rows of every external table, by its name. */
export type SourceRows = ReadonlyMap<string, readonly Row[]>;

export const EVENTS = 'raw.events';
export const STATE = 'raw.state';

export const EXTERNALS: readonly External[] = [
  {
    name: EVENTS,
    columns: [
      ['id', 'int'],
      ['day', 'date'],
      ['k', 'int'],
      ['v', 'int'],
      ['f', 'float'],
    ],
  },
  {
    name: STATE,
    columns: [
      ['k', 'int'],
      ['v', 'int'],
      ['s', 'text'],
      ['u', 'time'],
    ],
  },
];

/** There are rows of so many days from the beginning. */
const DAYS = 14;
const KEYS = 4;
const BAD = -5;

/** With `hasNullTimes` every third row of the state does not say when it changed. */
export function firstRows(chance: Chance, hasNullTimes: boolean): SourceRows {
  const events: Row[] = [];
  for (let day = 0; day < DAYS; day++)
    for (let i = chance.below(3); i < 4; i++)
      events.push({ id: events.length, day: dayText(day), ...eventCells(chance) });
  if (chance.oneIn(2)) events.push({ id: events.length, day: null, ...eventCells(chance) });
  const state = Array.from({ length: KEYS }, (_, i) => stateRow(i, chance, hasNullTimes ? null : 0));
  return new Map([
    [EVENTS, events],
    [STATE, state],
  ]);
}

const eventCells = (chance: Chance): Row => ({
  k: 1 + chance.below(KEYS),
  v: chance.below(10),
  f: chance.below(9) / 2,
});

/** Without a day every third row does not say when it changed. */
function stateRow(k: number, chance: Chance, day: number | null): Row {
  const u = timeText(msOf(day ?? 0) - 3_600_000 * (1 + chance.below(20)));
  return {
    k,
    v: chance.below(10),
    s: chance.pick(['x', 'y', 'z']),
    u: day === null && chance.oneIn(3) ? null : u,
  };
}

/** The rows after a change, which is the same for the same number. `today` is the day that is running. */
export function changedSources(rows: SourceRows, change: DataChange, n: number, today: number): SourceRows {
  const chance = chanceOf(n);
  const [events, state] = [rows.get(EVENTS) ?? [], rows.get(STATE) ?? []];
  const past = Math.max(1, today);
  const nextId = Math.max(0, ...events.map(({ id }) => Number(id))) + 1;
  const isEvent = !chance.oneIn(3);
  const withEvents = (list: readonly Row[]): SourceRows => new Map([...rows, [EVENTS, list]]);
  const withState = (list: readonly Row[]): SourceRows => new Map([...rows, [STATE, list]]);
  switch (change) {
    case 'late':
      return withEvents([
        ...events,
        ...Array.from({ length: 1 + chance.below(3) }, (_, i) => ({
          id: nextId + i,
          day: dayText(chance.below(past)),
          ...eventCells(chance),
        })),
      ]);
    case 'delete':
      if (isEvent) {
        const gone = chance.oneIn(3) ? chance.below(KEYS) + 1 : undefined;
        return withEvents(events.filter(({ k }, i) => (gone === undefined ? i % 4 !== n % 4 : k !== gone)));
      }
      return withState(state.filter((_, i) => i !== n % Math.max(1, state.length)));
    case 'change':
      if (isEvent)
        return withEvents(events.map((row) => (chance.oneIn(4) ? { ...row, v: chance.below(10) } : row)));
      return withState(changedState(state, chance, today));
    case 'bad':
      if (isEvent)
        return withEvents([
          ...events,
          {
            id: nextId,
            day: dayText(Math.max(0, today - 1 + chance.below(3))),
            ...eventCells(chance),
            v: BAD,
          },
        ]);
      return withState(
        state.map((row, i) =>
          i === n % state.length ? { ...row, v: BAD, u: later(row, chance, today) } : row,
        ),
      );
    case 'repair':
      return new Map([
        [EVENTS, events.map((row) => (Number(row['v']) < 0 ? { ...row, v: 1 } : row))],
        [
          STATE,
          state.map((row) => (Number(row['v']) < 0 ? { ...row, v: 1, u: later(row, chance, today) } : row)),
        ],
      ]);
    case 'retype':
      return withEvents(
        events.map((row) => (chance.oneIn(3) ? { ...row, v: 5_000_000_000 + chance.below(5) } : row)),
      );
  }
}

/** Rows change with their time; new ones come, and one that did not say when it changed may say so now. */
function changedState(state: readonly Row[], chance: Chance, today: number): readonly Row[] {
  const changed = state.map((row) =>
    chance.oneIn(2)
      ? { ...row, v: chance.below(10), s: chance.pick(['x', 'y', 'z']), u: later(row, chance, today) }
      : row,
  );
  const k = Math.max(0, ...state.map((row) => Number(row['k']))) + 1;
  return chance.oneIn(3) ? [...changed, stateRow(k, chance, today)] : changed;
}

/** Later than what the row said before, and mostly before now. */
function later(row: Row, chance: Chance, today: number): string {
  const before =
    row['u'] === null || row['u'] === undefined ? 0 : Date.parse(`${String(row['u']).replace(' ', 'T')}Z`);
  return timeText(Math.max(before, msOf(today) - 3_600_000 * chance.below(12)) + 60_000);
}

/** Statements that make the tables what the rows say. */
export function sourcesSql(externals: readonly External[], rows: SourceRows): string {
  return `CREATE SCHEMA IF NOT EXISTS raw; ${externals.map((table) => createExternalSql(table, rows.get(table.name) ?? [])).join(' ')}`;
}

/** The table of events with its values in a wider type. */
export function retyped(externals: readonly External[]): readonly External[] {
  return externals.map((table) =>
    table.name === EVENTS
      ? {
          ...table,
          columns: table.columns.map(
            ([name, type]) => [name, name === 'v' ? ('big' as Type) : type] as const,
          ),
        }
      : table,
  );
}
