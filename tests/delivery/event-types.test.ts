/** The list of event types is what the code appends: no more, no less. Names are read from the sources as they are written. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/domain/event-types.ts';
import { severityOf } from '../../src/domain/severity-of.ts';

const root = join(import.meta.dirname, '../../src');

/** Names that move a progress line or a log of the server, and never reach the log of a product. */
const PASSING = new Set(
  [
    'stage.started stage.finished model.started model.progress',
    'checks.started checks.failed model.checked profiles.started model.profiled profile.left',
    'scheduler.leading scheduler.following scheduler.stopped notification.test',
  ].flatMap((names) => names.split(' ')),
);

/** Where events are made: each name stands there as a text of its own. */
const PATTERNS = [
  /\bevent(?::|\s*=)\s*(?:[^,;}\n]*\?\s*)?'([a-z]+\.[a-z_]+)'/g,
  /\bevent:\s*'[a-z]+\.[a-z_]+'\s*\|\s*'([a-z]+\.[a-z_]+)'/g,
  /\beventsOf\([^)]*?'([a-z]+\.[a-z_]+)'/g,
  /\bperspectiveEvent\([^)]*?'([a-z]+\.[a-z_]+)'/g,
  /\beventOf\('([a-z]+\.[a-z_]+)'/g,
  /'run\.finished' && [^?]+\? '([a-z]+\.[a-z_]+)'/g,
  /^\s+(?:fail|warn|pass): '([a-z]+\.[a-z_]+)'/gm,
  /:\s*kind === 'rollback' \? '([a-z]+\.[a-z_]+)'/g,
  /\? '[a-z]+\.[a-z_]+' : '([a-z]+\.[a-z_]+)';/g,
];
/** `access.${status}` */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  'event: `access.${decided.status}`': ['access.approved', 'access.denied'],
};

export function appendedIn(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const pattern of PATTERNS) for (const [, name = ''] of text.matchAll(pattern)) found.add(name);
    for (const [written, names] of Object.entries(COMPUTED))
      if (text.includes(written)) for (const name of names) found.add(name);
  }
  return new Set([...found].filter((name) => !PASSING.has(name)));
}

const sources = ['domain', 'runtime', 'adapters', 'operations'].flatMap((floor) =>
  readdirSync(join(root, floor), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && file !== 'event-types.ts')
    .map((file) => readFileSync(join(root, floor, file), 'utf8')),
);

test('every event that the code appends has a type, and every type is appended', () => {
  expect([...appendedIn(sources)].sort()).toEqual(Object.keys(EVENT_TYPES).sort());
});

test('an event that is planted in a source is found', () => {
  expect(appendedIn([...sources, "return [{ at, event: 'planted.here', data: {} }];"])).toContain(
    'planted.here',
  );
});

test('every type says in a sentence what happened', () => {
  for (const [name, { words }] of Object.entries(EVENT_TYPES)) expect(words, name).toMatch(/^[A-Z].*\.$/);
});

test.each([
  ['incident.opened', { severity: 'error' }, 'critical'],
  ['incident.opened', { severity: 'warning' }, 'error'],
  ['dq.failed', { severity: 'warning' }, 'warning'],
  ['dq.failed', { severity: 'error' }, 'error'],
  ['audit.failed', { isBlocking: false }, 'warning'],
  ['audit.failed', { isBlocking: true }, 'error'],
  ['schema.changed', { breaking: true }, 'warning'],
  ['schema.changed', { breaking: false }, 'info'],
  ['freshness.breached', { outcome: 'warn' }, 'warning'],
  ['freshness.breached', { outcome: 'fail' }, 'error'],
  ['run.failed', null, 'error'],
  ['of.another.version', {}, 'info'],
])('%s that says %o is %s', (event, data, severity) => {
  expect(severityOf({ event, data })).toBe(severity);
});
