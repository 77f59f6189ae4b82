/** The oracle on a world that is small enough to be verified by hand, and what is found wrong with answers. */
import { describe, expect, test } from 'vitest';
import { type Moment, View } from './oracle.ts';
import { shownTokens } from './scan.ts';
import { leaks, verifyAnswer } from './verify-answer.ts';
import type {
  Caller,
  EnvironmentRole,
  Member,
  Policy,
  Ref,
  SemanticModel,
  World,
  WorldColumn,
  WorldModel,
} from './world.ts';

const column = (name: string, ...from: readonly Ref[]): WorldColumn => ({
  name,
  role: 'made',
  type: 'TEXT',
  from,
});

const model = (
  name: string,
  reads: readonly string[],
  columns: readonly WorldColumn[],
  more: Partial<WorldModel> = {},
): WorldModel => ({
  name,
  kind: 'FULL',
  relation: 'harmless',
  shape: '',
  reads,
  columns,
  conditions: [],
  rows: [],
  sql: '',
  ...more,
});

/*
 *   raw (id, mail, word, age) ─▶ mart (id, mail, word) ─▶ report (word), ─▶ names (mail)
 *     ├─▶ ages (age): nothing of it gets into mart
 *     ├─▶ words (word)
 *     └─▶ adults (word, of those whose mail …)            other (x) has nothing to do with it
 */
const MODELS: readonly WorldModel[] = [
  model(
    's.raw',
    [],
    ['id', 'mail', 'word', 'age'].map((name) => column(name)),
    {
      rows: [
        { id: 1, mail: 'zqam01aaa', word: 'zqaw01aaa', age: 770_000_001 },
        { id: 2, mail: 'zqam02aaa', word: 'zqaw02aaa', age: 770_000_002 },
      ],
    },
  ),
  model(
    's.mart',
    ['s.raw'],
    [column('id', 's.raw:id'), column('mail', 's.raw:mail'), column('word', 's.raw:word'), column('region')],
    {
      rows: [
        { id: 1, mail: 'zqam01aaa', word: 'zqaw01aaa', region: 'north' },
        { id: 2, mail: 'zqam02aaa', word: 'zqaw02aaa', region: 'south' },
      ],
    },
  ),
  model('s.report', ['s.mart'], [column('word', 's.mart:word')]),
  model('s.names', ['s.mart'], [column('mail', 's.mart:mail')]),
  model('s.ages', ['s.raw'], [column('age', 's.raw:age')]),
  model('s.words', ['s.raw'], [column('word', 's.raw:word')]),
  model('s.adults', ['s.raw'], [column('age', 's.raw:age')], { conditions: ['s.raw:mail'] }),
  model('s.other', [], [column('x')]),
];

const MEMBERS: readonly Member[] = [
  { name: 'vkmailaaaaaaaa', kind: 'dimension', column: 'mail', mask: 'masked' },
  { name: 'vkwordaaaaaaaa', kind: 'dimension', column: 'word', mask: null },
  { name: 'vkregionaaaaaa', kind: 'dimension', column: 'region', role: 'region' },
];
const SEMANTIC: SemanticModel = {
  name: 'vkpeopleaaaaaa',
  purpose: 'main',
  model: 's.mart',
  members: MEMBERS,
  hasRollup: false,
};

function view(
  policies: readonly Policy[],
  caller: Partial<Caller> = {},
  {
    elsewhere,
    environment = 'default',
    isLost,
  }: { elsewhere?: readonly Policy[]; environment?: EnvironmentRole; isLost?: true } = {},
): View {
  const stage = (some: readonly Policy[]) => ({ models: MODELS, policies: { vkpeopleaaaaaa: some } });
  const moment: Moment = {
    stages: { default: stage(policies), early: stage(elsewhere ?? []), late: stage(elsewhere ?? []) },
    ...(isLost === undefined ? {} : { isLost }),
  };
  const world = {
    semantics: [SEMANTIC],
    metrics: [],
    closed: stage(policies),
    late: stage(policies),
  } as unknown as World;
  const somebody: Caller = {
    name: 'one',
    groups: ['a'],
    role: 'consumer',
    isExempt: false,
    mayReadModels: true,
    environments: ['early'],
    models: [],
    ...caller,
  };
  return new View(world, moment, { caller: somebody, environment });
}

/** Models that may be read as a whole. */
const readable = (seen: View): readonly string[] =>
  MODELS.map(({ name }) => name).filter((name) => seen.reads(name, 'all') === 'allowed');

const MASKED: readonly Policy[] = [{ group: 'a', mask: ['vkmailaaaaaaaa'] }];
const FILTERED: readonly Policy[] = [{ group: 'a', region: 'north', mask: [] }];
const ALL = MODELS.map(({ name }) => name);

describe('models that somebody may read', () => {
  test('are all of them without policies, and for those who are exempt', () => {
    expect(readable(view([]))).toEqual(ALL);
    expect(readable(view(FILTERED, { isExempt: true }))).toEqual(ALL);
    expect(readable(view([{ group: 'a', mask: [] }]))).toEqual(ALL);
  });

  test('are none that feeds, is or is made from a model whose rows are filtered or denied, and none that carries what gets into it', () => {
    for (const policies of [FILTERED, [{ group: 'b', mask: [] }]])
      expect(readable(view(policies))).toEqual(['s.ages', 's.other']);
  });

  test('carry no masked column, by value or by condition', () => {
    const seen = view(MASKED);
    expect(readable(seen)).toEqual(['s.report', 's.ages', 's.words', 's.other']);
    expect(seen.reads('s.raw', ['word', 'age'])).toBe('allowed');
    expect(seen.reads('s.raw', ['word', 'mail'])).toBe('refused');
    expect(seen.reads('s.mart', ['word'])).toBe('refused');
  });

  test('are those that access names, besides', () => {
    expect(readable(view(FILTERED, { models: ['s.names'] }))).toEqual(['s.names', 's.ages', 's.other']);
  });

  test('are none for a token without the scope, and none when the policies cannot be read', () => {
    expect(readable(view([], { mayReadModels: false }))).toEqual([]);
    expect(readable(view([], {}, { isLost: true }))).toEqual([]);
    expect(readable(view([], { isExempt: true }, { isLost: true }))).toEqual(ALL);
  });

  test('obey the policies of the default environment and of the one that is asked', () => {
    expect(readable(view(FILTERED, {}, { environment: 'early' }))).toEqual(['s.ages', 's.other']);
    expect(readable(view([], {}, { environment: 'early', elsewhere: FILTERED }))).toEqual([
      's.ages',
      's.other',
    ]);
    expect(view([], { environments: [] }, { environment: 'early' }).mayAsk()).toBe(false);
  });
});

describe('rows of a semantic model', () => {
  const cellsOf = (seen: View) =>
    seen.rowsOf(SEMANTIC).map((row) => [row['vkmailaaaaaaaa'], row['vkwordaaaaaaaa']]);

  test('are clear where one single policy lets the row pass and leaves the column', () => {
    const policies: readonly Policy[] = [
      { group: 'a', region: 'north', mask: ['vkmailaaaaaaaa'] },
      { group: 'b', region: 'south', mask: ['vkwordaaaaaaaa'] },
    ];
    expect(cellsOf(view(policies))).toEqual([['masked', 'zqaw01aaa']]);
    expect(cellsOf(view(policies, { groups: ['a', 'b'] }))).toEqual([
      ['masked', 'zqaw01aaa'],
      ['zqam02aaa', null],
    ]);
  });

  test('pass the policies of both environments', () => {
    const south: readonly Policy[] = [{ group: 'a', region: 'south', mask: [] }];
    expect(cellsOf(view(FILTERED, {}, { environment: 'early', elsewhere: south }))).toEqual([]);
    expect(cellsOf(view(FILTERED, {}, { environment: 'early', elsewhere: MASKED }))).toEqual([
      ['masked', 'zqaw01aaa'],
    ]);
  });
});

describe('verifying an answer', () => {
  const seen = view(FILTERED);
  const got = (text: string) => ({ told: { text }, status: 200, code: '' });

  test('finds what may not be seen wherever it is, in whatever case', () => {
    for (const text of [
      '{"rows":[["zqam02aaa"]]}',
      'x-header: ZQAM02AAA',
      "could not convert 'zqam02aaa'",
      '[770000002]',
    ])
      expect(leaks([seen], { text }), text).toHaveLength(1);
    expect(leaks([seen], { text: '["zqam01aaa"]' })).toEqual([]);
    const bytes = Buffer.alloc(24, 1);
    bytes.writeBigInt64LE(770_000_002n, 9);
    expect([...shownTokens({ text: '', bytes }, new Set(['770000002']))]).toEqual(['770000002']);
  });

  test('finds names that are hidden', () => {
    expect(
      leaks([view([{ group: 'b', mask: [] }])], { text: 'did you mean vkpeopleaaaaaa.vkmailaaaaaaaa?' }),
    ).toEqual(['names vkpeopleaaaaaa, vkmailaaaaaaaa']);
    expect(leaks([seen], { text: 'did you mean vkpeopleaaaaaa.vkmailaaaaaaaa?' })).toEqual([]);
  });

  test('accepts only the right rows', () => {
    const expected = { kind: 'rows', rows: [['zqam01aaa']] } as const;
    expect(verifyAnswer(seen, expected, { ...got(''), rows: [['zqam01aaa']] }, '')).toEqual([]);
    expect(verifyAnswer(seen, expected, { ...got(''), rows: [] }, '')).toHaveLength(1);
    expect(
      verifyAnswer(seen, expected, { told: { text: '' }, status: 403, code: 'policy.no-access' }, ''),
    ).toHaveLength(1);
  });

  test('wants a refusal that tells nothing', () => {
    const expected = { kind: 'refused' } as const;
    const refusal = { told: { text: '' }, status: 403, code: 'policy.model-restricted' };
    expect(verifyAnswer(seen, expected, refusal, '')).toEqual([]);
    expect(verifyAnswer(seen, expected, { ...refusal, told: { text: 'zqam01aaa' } }, '')).toHaveLength(1);
    expect(verifyAnswer(seen, expected, { ...got(''), rows: [] }, '')).toHaveLength(1);
    expect(
      verifyAnswer(seen, expected, { ...refusal, status: 422, code: 'query.unknown-model' }, ''),
    ).toHaveLength(1);
  });
});
