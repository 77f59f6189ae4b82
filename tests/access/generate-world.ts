/*
 *   raw.a ─▶ stg.a ─▶ mart.m ─▶ down.*  ─▶ own.m       main protects mart.m, own protects own.m
 *      └──────┴─▶ beside.*      late.x                 link (over mart.b) and open (over free.h) have no policies
 *   raw.b ─▶ mart.b (perhaps ─▶ mart.m)                vault protects vault.d, from almost everybody
 *   raw.c ─▶ free.h
 *   raw.d ─▶ vault.d
 */
import { Chance } from './chance.ts';
import { REGIONS, source } from './generate-sources.ts';
import {
  joinedWhole,
  type Made,
  PARTIAL_SHAPES,
  type Shape,
  type Surroundings,
  WHOLE_ROLES,
  WHOLE_SHAPES,
} from './shapes.ts';
import type {
  Caller,
  Member,
  Policies,
  Policy,
  Relation,
  Role,
  SemanticModel,
  World,
  WorldModel,
} from './world.ts';

/** How the main semantic model is protected; the campaign walks through all of them. */
export const SCHEMES = ['filter', 'mask', 'both', 'denied', 'star', 'star-filter', 'mixed', 'none'] as const;
type Scheme = (typeof SCHEMES)[number];

export function generateWorld(seed: number): World {
  const chance = new Chance(seed * 7919 + 17);
  const scheme = SCHEMES[seed % SCHEMES.length] as Scheme;
  const models = generateModels(chance, seed);
  const names = nameMaker(chance);
  const semantics = generateSemantics(chance, models, names);
  const semantic = (purpose: SemanticModel['purpose']): SemanticModel =>
    semantics.find((each) => each.purpose === purpose) as SemanticModel;
  const main = semantic('main');
  const policies: Policies = {
    [main.name]: schemePolicies(scheme, main, chance),
    [semantic('own').name]: ownPolicies(semantic('own'), chance),
    [semantic('vault').name]: chance.is(0.5)
      ? [{ group: 'full', mask: [] }]
      : [
          { group: 'full', mask: [] },
          { group: 'b', mask: [] },
        ],
  };
  const built = withRollup(models, main);
  const itself = built.find(({ relation }) => relation === 'itself') as WorldModel;
  const around = { chance, other: built.find(({ name }) => name === 'raw.c') as WorldModel };
  const late: WorldModel = {
    ...madeBy(chance.of(PARTIAL_SHAPES), itself, around),
    name: 'late.x',
    kind: 'FULL',
    relation: 'downstream',
  };
  return {
    seed,
    scheme,
    defaultEnvironment: chance.is(0.25) ? 'live' : 'prod',
    semantics,
    metrics: (['main', 'vault'] as const).map((purpose) => {
      const { name, members } = semantic(purpose);
      return {
        name: names(),
        semantic: name,
        measure: memberOf(members, 'measure', 'amount').name,
        time: memberOf(members, 'dimension', 'day').name,
        dimension: memberOf(members, 'dimension', 'region').name,
      };
    }),
    callers: generateCallers(chance, built, policies[semantic('vault').name] ?? []),
    open: { models: built, policies: {} },
    closed: { models: built, policies },
    late: { models: [...built, late], policies: latePolicies(policies, main, chance) },
    absent: Array.from({ length: 8 }, names),
  };
}

export const memberOf = (members: readonly Member[], kind: Member['kind'], role: Role): Member => {
  const found = members.find((member) => member.kind === kind && member.role === role && !member.isHidden);
  if (found === undefined) throw new Error(`no ${kind} of ${role}`);
  return found;
};

/** Different words of one length, so far apart that none is taken for another. */
function nameMaker(chance: Chance): () => string {
  const used = new Set<string>();
  return () => {
    for (;;) {
      const name = `vk${Array.from({ length: 12 }, () => chance.of([...'bcdfghjlmnprstwxyz'])).join('')}`;
      if (used.has(name)) continue;
      used.add(name);
      return name;
    }
  };
}

const madeBy = (shape: Shape, parent: WorldModel, around: Surroundings): Made => shape(parent, around);

function generateModels(chance: Chance, seed: number): readonly WorldModel[] {
  const code = (46_656 - 1 - seed * 131 + 46_656 * 100).toString(36).slice(-3);
  const whole = { roles: WHOLE_ROLES, count: 8, code };
  const linked = { roles: ['key', 'ref', 'note'] as const, code };
  const a = source(chance, { name: 'raw.a', letter: 'a', relation: 'upstream', ...whole });
  const isJoined = chance.is(0.3);
  const b = source(chance, {
    name: 'raw.b',
    letter: 'b',
    count: 8,
    relation: isJoined ? 'upstream' : 'harmless',
    ...linked,
  });
  const c = source(chance, { name: 'raw.c', letter: 'c', count: 3, relation: 'harmless', ...linked });
  const d = source(chance, { name: 'raw.d', letter: 'd', relation: 'vault', ...whole, count: 4 });
  const table = (): WorldModel['kind'] => chance.of(['FULL', 'FULL', 'VIEW']);
  const named = (name: string, relation: Relation, made: Made, kind = table()): WorldModel => ({
    ...made,
    name,
    kind,
    relation,
  });
  const around = { chance, other: chance.is(0.5) ? b : c };
  const by = (shape: Shape, parent: WorldModel): Made => madeBy(shape, parent, around);
  const stg = named(
    'stg.a',
    'upstream',
    by(chance.of(WHOLE_SHAPES), a),
    chance.is(0.2) ? 'EMBEDDED' : table(),
  );
  const m = named(
    'mart.m',
    'itself',
    isJoined ? madeBy(joinedWhole, stg, { chance, other: b }) : by(chance.of(WHOLE_SHAPES), stg),
  );
  const downShapes = chance.shuffled(PARTIAL_SHAPES);
  const down = [0, 1].map((at) => named(`down.d${at}`, 'downstream', by(downShapes[at] as Shape, m)));
  const whose = named(
    'down.whole',
    'downstream',
    by(chance.of(WHOLE_SHAPES), m),
    chance.of(['VIEW', 'EMBEDDED']),
  );
  const far = named('down.far', 'downstream', by(chance.of(PARTIAL_SHAPES), whose));
  const own = named('own.m', 'own', by(chance.of(WHOLE_SHAPES), m));
  const besideShapes = chance.shuffled(PARTIAL_SHAPES);
  const beside = [0, 1, 2].map((at) =>
    named(`beside.s${at}`, 'beside', by(besideShapes[at] as Shape, chance.is(0.5) ? a : stg)),
  );
  const copied = WHOLE_SHAPES[0] as Shape;
  return [
    ...[a, b, c, d, stg, m, ...down, whose, far, own, ...beside],
    named('mart.b', isJoined ? 'beside' : 'harmless', by(copied, b)),
    named('free.h', 'harmless', by(copied, c), 'FULL'),
    named('vault.d', 'vault', by(copied, d), 'FULL'),
  ];
}

/** A rollup is a model of its own, which reads what the semantic model does. */
function withRollup(models: readonly WorldModel[], main: SemanticModel): readonly WorldModel[] {
  if (!main.hasRollup) return models;
  return [
    ...models,
    {
      name: `rollups.${main.name}__kept`,
      kind: 'ROLLUP',
      relation: 'rollup',
      shape: 'rollup',
      reads: [main.model],
      columns: [],
      conditions: [],
      rows: [],
      sql: '',
    },
  ];
}

function generateSemantics(
  chance: Chance,
  models: readonly WorldModel[],
  names: () => string,
): readonly SemanticModel[] {
  const over = (name: string): WorldModel => models.find((each) => each.name === name) as WorldModel;
  const column = (model: WorldModel, role: Role): string | undefined =>
    model.columns.find((each) => each.role === role)?.name;
  const masks: Readonly<Partial<Record<Role, Member['mask']>>> = { mail: 'masked', word: null, amount: 0 };
  const dimensions = (model: WorldModel, roles: readonly Role[]): readonly Member[] =>
    roles.map((role) => ({
      name: names(),
      kind: 'dimension',
      role,
      column: column(model, role) ?? role,
      ...(masks[role] === undefined ? {} : { mask: masks[role] }),
    }));
  const wholeMembers = (model: WorldModel): readonly Member[] => [
    ...dimensions(model, WHOLE_ROLES),
    { name: names(), kind: 'dimension', role: 'mail', column: column(model, 'mail') ?? '', isHidden: true },
    { name: names(), kind: 'measure', type: 'sum', role: 'amount' },
    { name: names(), kind: 'measure', type: 'max', role: 'mail' },
    { name: names(), kind: 'measure', type: 'count', role: 'made' },
    { name: names(), kind: 'measure', type: 'max', role: 'mail', isHidden: true },
    { name: names(), kind: 'segment', role: 'mail' },
    { name: names(), kind: 'segment', role: 'word', isHidden: true },
  ];
  const noteMembers = (model: WorldModel): readonly Member[] => [
    ...dimensions(model, ['key', 'note']),
    { name: names(), kind: 'measure', type: 'count', role: 'made' },
  ];
  const main: SemanticModel = {
    name: names(),
    purpose: 'main',
    model: 'mart.m',
    members: wholeMembers(over('mart.m')),
    hasRollup: chance.is(0.5),
  };
  const plain = (purpose: 'open' | 'own' | 'vault', model: string): SemanticModel => ({
    name: names(),
    purpose,
    model,
    members: purpose === 'open' ? noteMembers(over(model)) : wholeMembers(over(model)),
    hasRollup: false,
  });
  return [
    main,
    plain('own', 'own.m'),
    plain('vault', 'vault.d'),
    plain('open', 'free.h'),
    {
      name: names(),
      purpose: 'link',
      model: 'mart.b',
      members: noteMembers(over('mart.b')),
      join: { to: main.name, column: 'ref', otherColumn: column(over('mart.m'), 'key') ?? '' },
      hasRollup: false,
    },
  ];
}

const nothing = { mask: [] } as const;

function schemePolicies(scheme: Scheme, { members }: SemanticModel, chance: Chance): readonly Policy[] {
  const dimension = (role: Role): string => memberOf(members, 'dimension', role).name;
  const [north, south] = REGIONS;
  const form = chance.of(['equals', 'or', 'notEquals'] as const);
  const [mail, word, amount] = [dimension('mail'), dimension('word'), dimension('amount')];
  const full = { group: 'full', ...nothing };
  switch (scheme) {
    case 'filter':
      return [full, { group: 'a', region: north, form, mask: [] }, { group: 'b', region: south, mask: [] }];
    case 'mask':
      return [full, { group: 'a', mask: [mail] }, { group: 'b', mask: [word, mail] }];
    case 'both':
      return [
        full,
        { group: 'a', region: north, form, mask: [amount, mail] },
        { group: 'b', region: south, mask: [word] },
      ];
    case 'denied':
      return [full];
    case 'star':
      return [{ group: '*', mask: [mail, amount] }, full, { group: 'b', region: south, form, mask: [mail] }];
    case 'star-filter':
      return [{ group: '*', region: north, form, mask: [amount] }, full, { group: 'a', mask: [word] }];
    case 'mixed':
      return [full, { group: 'a', mask: [mail] }, { group: 'b', region: south, form, mask: [] }];
    case 'none':
      return [];
  }
}

function ownPolicies({ members }: SemanticModel, chance: Chance): readonly Policy[] {
  const mail = memberOf(members, 'dimension', 'mail').name;
  const [north] = REGIONS;
  return chance.of<readonly Policy[]>([
    [{ group: 'a', ...nothing }],
    [
      { group: 'full', ...nothing },
      { group: 'a', mask: [mail] },
      { group: 'b', ...nothing },
    ],
    [
      { group: '*', region: north, mask: [] },
      { group: 'full', ...nothing },
    ],
  ]);
}

/** Never wider than the ones before for everybody; where they differ both hold. */
function latePolicies(policies: Policies, main: SemanticModel, chance: Chance): Policies {
  const word = memberOf(main.members, 'dimension', 'word').name;
  const before = policies[main.name] ?? [];
  const changed = chance.of<readonly Policy[]>([
    before,
    before.map((policy) =>
      policy.group === 'full' ? policy : { ...policy, mask: [...new Set([...policy.mask, word])] },
    ),
    before.map((policy) => (policy.group === 'a' ? { ...policy, region: REGIONS[1] } : policy)),
  ]);
  return { ...policies, [main.name]: changed };
}

function generateCallers(
  chance: Chance,
  models: readonly WorldModel[],
  vault: readonly Policy[],
): readonly Caller[] {
  const consumer = {
    role: 'consumer',
    isExempt: false,
    mayReadModels: true,
    environments: [],
    models: [],
  } as const;
  const manager = { ...consumer, environments: 'all' } as const;
  // Something is always hidden at the command line, where few questions are asked.
  const outside = [['a'], ['b'], ['a', 'b']].filter(
    (groups) => !vault.some(({ group }) => groups.includes(group)),
  );
  const grantable = models.filter(
    ({ kind, relation }) => kind !== 'EMBEDDED' && relation !== 'harmless' && relation !== 'rollup',
  );
  return [
    { ...consumer, name: 'none', groups: [] },
    { ...consumer, name: 'one', groups: [chance.of(['a', 'b'])] },
    { ...consumer, name: 'two', groups: ['a', 'b'] },
    { ...consumer, name: 'full', groups: ['full'] },
    { ...consumer, name: 'viewer', groups: ['b'], tenantRole: 'viewer' },
    { ...manager, name: 'editor', groups: ['a'], role: 'editor' },
    { ...manager, name: 'owner', groups: ['b'], role: 'owner' },
    {
      ...manager,
      name: 'admin',
      groups: chance.is(0.5) ? ['a', 'b'] : [],
      role: 'owner',
      tenantRole: 'admin',
    },
    { ...manager, name: 'root', groups: [], role: 'owner', isExempt: true },
    { ...consumer, name: 'exempt', groups: ['auditors'], isExempt: true },
    { ...consumer, name: 'scoped', groups: ['a'], mayReadModels: false },
    { ...consumer, name: 'tester', groups: ['a'], environments: ['early', 'late'] },
    { ...consumer, name: 'granted', groups: ['b'], models: [chance.of(grantable).name] },
    // Belongs to full, until it is taken away.
    { ...consumer, name: 'leaver', groups: [] },
    { ...manager, name: 'command-line', groups: [], role: 'owner', isExempt: true },
    { ...consumer, environments: 'all', name: 'as-group', groups: chance.of(outside) },
  ];
}
