/**
 * Walks the registry of keys: each has an effect that is shown here, or says when it is written that it has none.
 *
 *   registry ─┬─ marked ──────▶ written into a project: its note or warning must come
 *             └─ not marked ──▶ evidence ─┬─ differs: with and without the key, something a user sees must differ
 *                                         ├─ shown: a word that stands nowhere else comes out of a door
 *                                         ├─ says: a value that does not fit is told
 *                                         └─ test: a test of that name is there and has the key in it
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RegisteredKey, registeredKeys } from '../../src/compiler/load/registered-keys.ts';
import type { Evidence, EvidenceOf } from './evidence.ts';
import { AUDIT_EVIDENCE, CSV_EVIDENCE, KIND_EVIDENCE, MODEL_EVIDENCE } from './evidence-blocks.ts';
import { CONFIG_EVIDENCE } from './evidence-config.ts';
import { EXTERNAL_EVIDENCE, METRIC_EVIDENCE, SEMANTIC_EVIDENCE, USAGE_EVIDENCE } from './evidence-files.ts';
import { TEST_EVIDENCE } from './evidence-tests.ts';
import { OBSERVABLES } from './observables.ts';
import { filesOf, type KeyProject, PROJECT } from './project.ts';
import { wordsShown } from './shown-words.ts';
import { hasKey, markedProject, textOf, written } from './written-key.ts';

const ROOT = join(import.meta.dirname, '../..');
const EVIDENCE: Readonly<Record<string, EvidenceOf>> = {
  config: CONFIG_EVIDENCE,
  external_models: EXTERNAL_EVIDENCE,
  semantic: SEMANTIC_EVIDENCE,
  metric: METRIC_EVIDENCE,
  usage: USAGE_EVIDENCE,
  test: TEST_EVIDENCE,
  MODEL: MODEL_EVIDENCE,
  ...KIND_EVIDENCE,
  csv_settings: CSV_EVIDENCE,
  AUDIT: AUDIT_EVIDENCE,
};

const keys = registeredKeys();
const nameOf = ({ place, path }: Pick<RegisteredKey, 'place' | 'path'>): string => `${place} ${path}`;
const isMarked = ({ withoutEffect, notYet }: RegisteredKey): boolean =>
  withoutEffect !== undefined || notYet !== undefined;

/** Its own, or that of a key inside it. */
function evidenceOf({ place, path }: RegisteredKey): Evidence | undefined {
  const all = EVIDENCE[place] ?? {};
  const inside = Object.keys(all).find((each) => each.startsWith(`${path}.`));
  return all[path] ?? (inside === undefined ? undefined : all[inside]);
}

const real = keys.filter((key) => !isMarked(key));

describe('the registry', () => {
  test('has every key of every kind of file, and evidence for each that has an effect', () => {
    expect(keys.length).toBeGreaterThan(900);
    expect(real.length).toBeGreaterThan(350);
    expect(real.filter((key) => evidenceOf(key) === undefined).map(nameOf)).toEqual([]);
  });

  test('has evidence for nothing else', () => {
    const known = new Set(real.map(nameOf));
    const named = Object.entries(EVIDENCE).flatMap(([place, of]) =>
      Object.keys(of).map((path) => nameOf({ place, path })),
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

const marked = keys.filter(
  (key) => isMarked(key) && key.isMarkedAround !== true && key.place !== 'dq' && hasKey(key),
);

describe('a key that is marked says so when it is written', () => {
  test('there are some', () => expect(marked.length).toBeGreaterThan(100));
  test.each(marked.map((key) => [nameOf(key), key] as const))('%s', async (_, key) => {
    const said = await OBSERVABLES.diagnostics(filesOf(markedProject(key)));
    const code =
      key.notYet === undefined
        ? /(?:config\.key-without-effect|model\.unused-property)/
        : /(?:yaml\.key-not-yet|model\.property-not-yet)/;
    const word = key.path.split('.').at(-1) as string;
    const lines = said.split('\n').filter((line) => code.test(line) && line.includes(` ${word} `));
    expect(lines.length, said).toBeGreaterThan(0);
  });

  const engines = [
    ...new Set(keys.flatMap(({ path }) => /^(\w+)_connection\./.exec(path)?.[1] ?? [])),
  ].filter((engine) => engine !== 'state' && engine !== 'test');
  test('there are engines that cannot be reached', () => expect(engines.length).toBeGreaterThan(15));
  test.each(engines)('a connection of type %s', async (type) => {
    const said = await OBSERVABLES.diagnostics(
      filesOf({ ...PROJECT, config: { ...PROJECT.config, gateways: { local: { connection: { type } } } } }),
    );
    expect(said).toContain(`a connection of type ${type} has no effect yet`);
  });
});

const withEvidence = real.flatMap((key) => {
  const evidence = EVIDENCE[key.place]?.[key.path];
  return evidence === undefined ? [] : [{ key, evidence, name: nameOf(key) }];
});
const of = <Kind extends Evidence['kind']>(kind: Kind) =>
  withEvidence.flatMap(({ key, evidence, name }) =>
    evidence.kind === kind ? [{ key, evidence: evidence as Extract<Evidence, { kind: Kind }>, name }] : [],
  );

describe('what a user sees differs with the key', () => {
  const base = new Map<string, Promise<string>>();
  const observed = (project: KeyProject, observe: keyof typeof OBSERVABLES): Promise<string> => {
    const files = filesOf(project);
    const name = `${observe} ${JSON.stringify(files)}`;
    const found = base.get(name) ?? OBSERVABLES[observe](files);
    base.set(name, found);
    return found;
  };
  test.each(of('differs'))('$name', async ({ key, evidence }) => {
    const around = { ...PROJECT, ...evidence.around };
    const without =
      evidence.instead === undefined ? around : written(around, key, evidence.instead, evidence.at);
    const changed = written(around, key, evidence.value, evidence.at);
    // The key is what was written, and all that was.
    expect(textOf(changed, key, evidence.at)).not.toBe(textOf(without, key, evidence.at));
    expect(await observed(changed, evidence.observe)).not.toBe(await observed(without, evidence.observe));
  });
});

describe('a value that does not fit is told', () => {
  test.each(of('says'))('$name', async ({ key, evidence }) => {
    const around = { ...PROJECT, ...evidence.around };
    const said = await OBSERVABLES.diagnostics(filesOf(written(around, key, evidence.value, evidence.at)));
    expect(
      said.split('\n').some((line) => line.includes(` ${evidence.code} `)),
      said,
    ).toBe(true);
    expect(await OBSERVABLES.diagnostics(filesOf(around))).not.toContain(` ${evidence.code} `);
  });
});

describe('a word that is written comes out of a door', () => {
  const asked = of('shown');
  const found = wordsShown(asked.map(({ key, evidence }) => ({ key, evidence })));
  test.each(asked.map(({ name }, index) => [name, index] as const))(
    '%s',
    async (_, index) => {
      const { word, doors } = (await found)[index] as Awaited<typeof found>[number];
      expect(doors, word).not.toEqual([]);
    },
    300_000,
  );
});

describe('the test that is named', () => {
  test.each(of('test'))('$name', ({ key, evidence }) => {
    const path = join(ROOT, evidence.file);
    expect(existsSync(path), evidence.file).toBe(true);
    const text = readFileSync(path, 'utf8');
    // The titles of tables of tests go on with their parameters.
    const title = evidence.name.replaceAll("'", "\\'");
    expect(text.includes(`'${title}`) || text.includes(`"${evidence.name}`), evidence.name).toBe(true);
    expect(text).toContain(evidence.word ?? (key.path.split('.').at(-1) as string));
  });
});

test('the walk finds a key without evidence, and evidence without a key', () => {
  expect(evidenceOf({ place: 'config', path: 'never_heard_of' })).toBeUndefined();
  expect(evidenceOf({ place: 'config', path: 'linter' })).toBeDefined();
});
