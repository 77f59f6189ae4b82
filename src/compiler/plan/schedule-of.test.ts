import { describe, expect, test } from 'vitest';
import { projectOf } from '../../../tests/support/plan/compile-text.ts';
import type { Audit } from '../../domain/audit.ts';
import type { Model } from '../../domain/model.ts';
import { auditUses } from './audit-definitions.ts';
import { auditFacts } from './audit-facts.ts';
import { BATCHES_UNBOUNDED, scheduleOf } from './schedule-of.ts';

const RANGE = 'INCREMENTAL_BY_TIME_RANGE (time_column d';
const QUERY = 'SELECT CAST(@start_date AS DATE) AS d, 1 AS id';

describe('the schedule of a model', () => {
  test.each([
    ['', 'day'],
    ["cron '@weekly'", 'day'],
    ["cron '*/5 * * * *'", 'five-minute'],
    ["cron '@monthly'", 'month'],
    ["cron '@daily', interval_unit hour", 'hour'],
    ["cron '@monthly', interval_unit day", 'day'],
  ])('has the unit that is written, else that of the cron: %s', async (properties, unit) => {
    expect(scheduleOf(await modelOf(`${RANGE})`, properties)).unit).toBe(unit);
  });

  test('keeps relative starts as they are written, and everything else that decides what is due', async () => {
    const kind = `${RANGE}, lookback 2, batch_size 7, batch_concurrency 3, auto_restatement_cron '@weekly', auto_restatement_intervals 5)`;
    const properties =
      "cron '0 6 * * *', cron_tz 'Europe/Berlin', start '1 week ago', end '2030-01-01', allow_partials true";
    expect(scheduleOf(await modelOf(kind, properties))).toEqual({
      cron: '0 6 * * *',
      cronTz: 'Europe/Berlin',
      unit: 'day',
      start: '1 week ago',
      end: '2030-01-01',
      lookback: 2,
      allowPartials: true,
      batchSize: 7,
      batchConcurrency: 3,
      autoRestatementCron: '@weekly',
      autoRestatementIntervals: 5,
      disableRestatement: false,
      signals: [],
    });
  });

  test.each([
    [`${RANGE})`, BATCHES_UNBOUNDED],
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key id)', 1],
    ['INCREMENTAL_UNMANAGED', 1],
    ['SCD_TYPE_2_BY_COLUMN (unique_key id, columns *)', 1],
    ['FULL', 1],
  ])('lets batches run side by side only where order does not matter: %s', async (kind, expected) => {
    const defaults =
      expected === 1 ? { 'config.yaml': 'model_defaults: {dialect: duckdb, batch_concurrency: 8}' } : {};
    expect(scheduleOf(await modelOf(kind, '', defaults)).batchConcurrency).toBe(expected);
  });
});

describe('facts about audits', () => {
  const files = {
    'audits/mine.sql': `AUDIT (name plain); SELECT * FROM @this_model WHERE d IS NULL;
AUDIT (name wide); SELECT * FROM @this_model WHERE id NOT IN (SELECT id FROM other);
AUDIT (name soft, blocking false); SELECT * FROM @this_model WHERE id < 0;
AUDIT (name off, skip true); SELECT * FROM @this_model WHERE id < 0;`,
  };

  test.each([
    ['not_null(columns := (d)), unique_values(columns := (id))', ['not_null', 'unique_values'], [], false],
    ['not_null_non_blocking(columns := (d)), soft', [], ['not_null_non_blocking', 'soft'], false],
    ['not_null(columns := (d), blocking := false), soft(blocking := true)', ['soft'], ['not_null'], false],
    ['plain, off', ['plain'], [], false],
    ['plain, wide', ['plain', 'wide'], [], true],
    ['relationship(column := id, to := s.other, field := id)', ['relationship'], [], true],
  ])('%s', async (audits, blocking, others, readsOthers) => {
    const project = await projectOf({ 's.a': ['VIEW', QUERY, `audits (${audits})`] }, files);
    const byName = new Map(project.audits.map((audit) => [audit.name, audit]));
    expect(factsOf(project.models[0]!, byName)).toMatchObject({ blocking, others, readsOthers });
  });

  test('tell what each blocking audit demands and which models the audits read', async () => {
    const text = `audits (not_null(columns := (d)), relationship(column := id, to := "S".other, field := id), far)`;
    const far =
      'AUDIT (name far); SELECT * FROM @this_model WHERE id IN (SELECT x.id FROM s.a, c.s.far AS x);';
    const project = await projectOf({ 's.a': ['VIEW', QUERY, text] }, { 'audits/far.sql': far });
    const byName = new Map(project.audits.map((audit) => [audit.name, audit]));
    const facts = factsOf(project.models[0]!, byName, ['s.a', 's.other', 'c.s.far', 's.unread']);
    expect(facts?.reads).toEqual({ relationship: ['s.other'], far: ['c.s.far'] });
    expect(facts?.mayReadMore).toBeUndefined();
    expect(new Set(facts?.demands).size).toBe(3);
    const other = await projectOf({ 's.a': ['VIEW', QUERY, 'audits (not_null(columns := (id)))'] });
    expect(facts?.demands).not.toContain(factsOf(other.models[0]!, new Map())?.demands?.[0]);
  });

  test('none at all, or only skipped ones, are no facts', async () => {
    const project = await projectOf(
      { 's.a': ['VIEW', QUERY], 's.b': ['VIEW', QUERY, 'audits (off)'] },
      files,
    );
    const byName = new Map(project.audits.map((audit) => [audit.name, audit]));
    expect(project.models.map((model) => factsOf(model, byName))).toEqual([undefined, undefined]);
  });
});

function factsOf(model: Model, audits: ReadonlyMap<string, Audit>, models: readonly string[] = []) {
  return auditFacts(model, audits, { uses: auditUses(model, audits), models: new Set(models) });
}

async function modelOf(
  kind: string,
  properties: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Model> {
  const project = await projectOf({ 's.a': [kind, QUERY, properties] }, more);
  return project.models[0]!;
}
