/*
 * Measurements become queries:
 *
 *   measures ─▶ the same text once ─▶ by scan ─▶ packed as the engine prefers ─▶ queries
 *                    │
 *                    └▶ matched against counted values where a column has few
 *
 * A query that packs several has each of them alone as its substitute: one that the engine refuses spoils no other.
 */
import type { CheckContext, CheckQuery, Measure, OwnQuery, Packing, Scan } from './check-plan.ts';
import { selectFrom } from './checked-rows.ts';

/** Where the number of a measure is found: the answers of these queries, the first one that was answered. */
export interface Place {
  readonly query: string;
  readonly position: number;
}

export interface PlannedScans {
  readonly queries: readonly CheckQuery[];
  readonly placesOf: (measure: Measure) => readonly Place[];
  readonly queryOf: (own: OwnQuery) => string;
}

/** A column with at most this many different values is matched by value. */
const FEW_VALUES = 10_000;

interface Wanted {
  readonly key: string;
  readonly scan: Scan;
  readonly sql: string;
  readonly column: string;
  readonly serves: Set<string>;
}

/** Plans the scans of all checks; `asked` says what each needs. */
export function planScans(
  asked: readonly {
    readonly check: string;
    readonly measures: readonly Measure[];
    readonly queries: readonly OwnQuery[];
  }[],
  { packing, distinctOf }: Pick<CheckContext, 'packing' | 'distinctOf'>,
): PlannedScans {
  const wanted = new Map<string, Wanted>();
  const chosen = new Map<Measure, string>();
  const own = new Map<string, { purpose: OwnQuery['purpose']; serves: Set<string> }>();
  for (const { check, measures, queries } of asked) {
    for (const measure of measures) {
      const { scan, sql } = chosenForm(measure, distinctOf);
      const key = `${scanKey(scan)}\n${sql}`;
      chosen.set(measure, key);
      const found = wanted.get(key) ?? { key, scan, sql, column: measure.column, serves: new Set<string>() };
      found.serves.add(check);
      wanted.set(key, found);
    }
    for (const { sql, purpose } of queries) {
      const found = own.get(sql) ?? { purpose, serves: new Set<string>() };
      found.serves.add(check);
      own.set(sql, found);
    }
  }
  const places = new Map<string, Place[]>();
  const queries: CheckQuery[] = packed([...wanted.values()], packing).map((pack, index) =>
    packQuery(`m${index + 1}`, pack, places),
  );
  const ids = new Map<string, string>();
  for (const [sql, { purpose, serves }] of own) {
    const id = `q${ids.size + 1}`;
    ids.set(sql, id);
    queries.push({ id, sql, purpose, serves: [...serves] });
  }
  return {
    queries,
    placesOf: (measure) => places.get(chosen.get(measure) ?? '') ?? [],
    queryOf: ({ sql }) => ids.get(sql) ?? '',
  };
}

const scanKey = ({ from, where }: Scan): string => `${from}\n${where ?? ''}`;

function chosenForm(
  measure: Measure,
  distinctOf: CheckContext['distinctOf'],
): { readonly scan: Scan; readonly sql: string } {
  const { byValue, column } = measure;
  const distinct = byValue && distinctOf?.(byValue.model, column);
  return byValue !== undefined && distinct !== undefined && distinct <= FEW_VALUES ? byValue : measure;
}

/** Groups of measurements that become a query each. */
function packed(wanted: readonly Wanted[], packing: Packing): readonly (readonly Wanted[])[] {
  const groupOf = (each: Wanted): string => {
    const scan = scanKey(each.scan);
    if (packing === 'table') return scan;
    return packing === 'column' ? `${scan}\n${each.column}` : each.key;
  };
  return [...Map.groupBy(wanted, groupOf).values()];
}

function packQuery(id: string, pack: readonly Wanted[], places: Map<string, Place[]>): CheckQuery {
  const query = (name: string, part: readonly Wanted[]): CheckQuery => {
    part.forEach(({ key }, position) => {
      places.set(key, [...(places.get(key) ?? []), { query: name, position }]);
    });
    const columns = part.map(({ sql }, position) => `${sql} AS m${position}`).join(', ');
    return {
      id: name,
      sql: selectFrom(columns, (part[0] as Wanted).scan),
      purpose: 'measure',
      serves: [...new Set(part.flatMap(({ serves }) => [...serves]))],
    };
  };
  const whole = query(id, pack);
  if (pack.length === 1) return whole;
  return { ...whole, instead: pack.map((each, index) => query(`${id}.${index + 1}`, [each])) };
}
