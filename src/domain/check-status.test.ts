import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultOf } from '../../tests/conformance/quality-store-fixtures.ts';
import { CHECK_OUTCOMES, type CheckOutcome, type Incident } from './check-result.ts';
import { type CheckStatus, checkStatusAfter } from './check-status.ts';

interface Walk {
  readonly status: CheckStatus | undefined;
  readonly incidents: ReadonlyMap<string, Incident>;
  readonly events: readonly string[];
}

const idOf = (index: number): string => `c_${String(index).padStart(4, '0')}`;

/** Results by their number, in the order given. */
function walk(steps: readonly (readonly [number, CheckOutcome])[]): Walk {
  let status: CheckStatus | undefined;
  const incidents = new Map<string, Incident>();
  const events: string[] = [];
  for (const [index, outcome] of steps) {
    const change = checkStatusAfter(status, resultOf(idOf(index), { outcome, at: index }));
    status = change.status;
    if (change.incident !== undefined) incidents.set(change.incident.id, change.incident);
    events.push(...change.events.map(({ event, at }) => `${event} ${at}`));
  }
  return { status, incidents, events };
}

/** Said once more, over the whole list: stretches between passes that hold a failure. */
function expectedOf(outcomes: readonly CheckOutcome[]): {
  readonly incidents: readonly unknown[];
  readonly events: readonly string[];
} {
  const evaluated = outcomes.flatMap((outcome, at) =>
    outcome === 'error' || outcome === 'not_evaluated' ? [] : [{ outcome, at }],
  );
  const incidents: unknown[] = [];
  const events: string[] = [];
  for (const [index, { outcome, at }] of evaluated.entries()) {
    const before = evaluated[index - 1]?.outcome ?? 'pass';
    if (outcome !== before)
      events.push(`${{ pass: 'dq.recovered', warn: 'dq.warned', fail: 'dq.failed' }[outcome]} ${at}`);
    const since = evaluated.slice(0, index).findLastIndex((each) => each.outcome === 'pass') + 1;
    const failed = evaluated.slice(since, index).filter((each) => each.outcome === 'fail');
    if (outcome === 'fail' && failed.length === 0) {
      events.push(`incident.opened ${at}`);
      const end = evaluated.findIndex((each, later) => later > index && each.outcome === 'pass');
      const until = end === -1 ? evaluated.length : end;
      const failures = evaluated.slice(index, until).filter((each) => each.outcome === 'fail').length;
      const closed = evaluated[end];
      incidents.push({
        openedAt: at,
        failures,
        ...(closed === undefined ? {} : { closedAt: closed.at, closedBy: idOf(closed.at) }),
      });
    }
    if (outcome === 'pass' && failed.length > 0) events.push(`incident.closed ${at}`);
  }
  return { incidents, events };
}

const outcomes = fc.array(fc.constantFrom(...CHECK_OUTCOMES), { maxLength: 14 });

test('incidents and events are those of the outcomes, whatever they are', () =>
  fc.assert(
    fc.property(outcomes, (given) => {
      const { status, incidents, events } = walk(given.map((outcome, index) => [index, outcome]));
      const expected = expectedOf(given);
      const found = [...incidents.values()];
      expect(found).toMatchObject(expected.incidents);
      expect(found).toHaveLength(expected.incidents.length);
      expect(events).toEqual(expected.events);
      const open = found.filter(({ closedAt }) => closedAt === undefined);
      expect(status?.incident === undefined ? [] : [status.incident]).toEqual(open);
      expect(status?.latestId).toBe(given.length === 0 ? undefined : idOf(given.length - 1));
    }),
    { numRuns: 2_000 },
  ));

test('what comes later than a newer result was evaluated changes nothing', () =>
  fc.assert(
    fc.property(outcomes, fc.constantFrom(...CHECK_OUTCOMES), fc.nat(13), (given, late, at) => {
      const steps = given.map((outcome, index) => [index + 1, outcome] as const);
      const newest = steps.findLast(([, outcome]) => ['pass', 'warn', 'fail'].includes(outcome))?.[0] ?? 0;
      fc.pre(at < newest);
      expect(walk([...steps, [at, late]])).toEqual(walk(steps));
    }),
  ));

test('an incident says what failed, in words; its events do not say what was measured', () => {
  const summaryOf = (more: Parameters<typeof resultOf>[1]): string | undefined =>
    checkStatusAfter(undefined, resultOf('c_1', { outcome: 'fail', ...more })).incident?.summary;
  expect(summaryOf({ value: 7 })).toBe('missing_percent(id) < 1: it is 7');
  expect(summaryOf({ value: null })).toBe('missing_percent(id) < 1: it is without a value');
  expect(summaryOf({ reason: 'columns are missing' })).toBe('missing_percent(id) < 1: columns are missing');
  const { incident, events } = checkStatusAfter(undefined, resultOf('c_1', { outcome: 'fail', value: 4711 }));
  expect(incident).toMatchObject({
    id: 'i_1',
    check: 'p/known',
    owner: 'mara',
    columns: ['id'],
    failures: 1,
  });
  expect(events.map(({ event }) => event)).toEqual(['dq.failed', 'incident.opened']);
  expect(JSON.stringify(events)).not.toContain('4711');
});
