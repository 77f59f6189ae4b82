import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from './semantic-project.test-support.ts';

const join = (name: string, more = ''): string =>
  `{name: ${name}, type: many_to_one, on: "{id} = {${name}.id}"${more}}`;
const semantic = (name: string, joins: readonly string[]): string =>
  `kind: semantic\nname: ${name}\nmodel: m.t\nprimary_key: [id]\ndimensions: [id, label]\njoins: [${joins.join(', ')}]\n`;

/** Everybody joins everybody that comes later, so that there are thousands of ways; `pendant` hangs on the first alone. */
const CROWD = Array.from({ length: 12 }, (_, i) => `c${i}`);
const FILES = [
  ...CROWD.map((name, i) =>
    semantic(
      name,
      CROWD.slice(i + 1).map((each) => join(each)),
    ),
  ),
  semantic('pendant', [join('c0')]),
  semantic('owner', ['{name: parts, model: c11, type: one_to_many, on: "{id} = {parts.id}"}', join('c3')]),
];

let world: World;
beforeAll(async () => {
  world = await semanticProject({ 'm.t': "SELECT * FROM (VALUES (1, 'a')) AS v(id, label)" }, FILES);
});

describe('a way to what is named', () => {
  it('that may be one of more than can be looked at is refused', () => {
    const codes = world.codes({
      measures: ['c11.count'],
      dimensions: ['c0.label'],
      joinHints: [['pendant']],
    });
    expect(codes).toEqual(['semantic.ambiguous-path']);
    expect(world.codes({ measures: ['pendant.count'], dimensions: ['parts.label'] })).toEqual([
      'semantic.too-many-paths',
    ]);
  });

  it('is found where only one leads out of the crowd, or where its join is named', async () => {
    expect(await world.rows({ measures: ['c0.count'], dimensions: ['pendant.label'] })).toEqual([['a', '1']]);
    expect(await world.rows({ measures: ['owner.count'], dimensions: ['parts.label'] })).toEqual([
      ['a', '1'],
    ]);
  });
});
