import { afterEach, describe, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

describe('what SQLMesh projects have and is not read here', () => {
  test('a dbt project is named as such', async () => {
    project = temporaryProject({
      'dbt_project.yml': 'name: shop\n',
      'models/orders.sql': "{{ config(materialized='table') }}\nSELECT * FROM {{ ref('raw') }}",
    });
    await expect(project.load()).rejects.toMatchObject({ code: 'project.dbt' });
    project.write({ 'config.yaml': 'name: shop\n', 'models/orders.sql': 'SELECT 1 AS id' });
    const { project: loaded } = await project.load();
    expect(loaded.models.map(({ name }) => name)).toEqual(['orders']);
  });

  test('a Python macro is an error where it is called, and the tables beside it are still known', async () => {
    const { text, ranges } = marked(
      'MODEL (name marts.masked, kind FULL);\nSELECT id, «@mask(email)» AS email FROM raw.people',
    );
    project = temporaryProject({
      'macros/mask.py':
        'from sqlmesh import macro\n\n@macro()\ndef mask(evaluator, column):\n    return column\n',
      'models/masked.sql': text,
      'models/people.sql': "MODEL (name raw.people, kind FULL);\nSELECT 1 AS id, 'a@b.c' AS email",
      'tests/test_masked.yaml':
        'test_masked:\n  model: marts.masked\n  inputs:\n    raw.people:\n      rows: [{id: 1, email: x}]\n  outputs:\n    query:\n      rows: [{id: 1, email: x}]\n',
    });
    const loaded = await project.load();
    expect(loaded.diagnostics.map(({ code, at }) => [code, at])).toEqual([
      ['macro.python-not-yet', { file: 'models/masked.sql', ...ranges[0] }],
    ]);
    expect(loaded.project.models.map(({ name, dependencies }) => [name, dependencies])).toEqual([
      ['raw.people', []],
      ['marts.masked', ['raw.people']],
    ]);
  });

  test('a wrong macro in a statement beside the query leaves the columns of the query known', async () => {
    project = temporaryProject({
      'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT id::INT FROM m.b;\n@record(@this_model);',
      'models/b.sql': "MODEL (name m.b, kind FULL);\nSELECT '1' AS id",
    });
    const loaded = await project.load();
    expect(loaded.diagnostics.map(({ code }) => code)).toEqual(['macro.unknown']);
    expect(loaded.project.models[1]).toMatchObject({
      name: 'm.a',
      dependencies: ['m.b'],
      columns: [{ name: 'id', type: 'INTEGER' }],
    });
  });

  test('a test of a Python model says nothing about what that model reads', async () => {
    project = temporaryProject({
      'models/items.py':
        'from sqlmesh import model\n\n@model("m.items", columns={"id": "int"})\ndef execute(context): ...\n',
      'models/b.sql': "MODEL (name m.b, kind FULL);\nSELECT '1' AS id",
      'tests/test_items.yaml':
        'test_items:\n  model: m.items\n  inputs:\n    m.b:\n      rows: [{id: x}]\n  outputs:\n    query:\n      rows: [{id: 1}]\n',
    });
    const { diagnostics } = await project.load();
    expect(diagnostics.map(({ code }) => code)).toEqual(['model.python-not-yet']);
  });

  test('kinds that cannot be built yet load with a warning', async () => {
    project = temporaryProject({
      'models/a.sql': "MODEL (name m.a, kind CUSTOM (materialization 'mine', lookback 2));\nSELECT 1 AS id",
      'models/b.sql': 'MODEL (name m.b, kind MANAGED);\nSELECT id FROM m.a',
    });
    const { diagnostics, project: loaded } = await project.load();
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['model.kind-not-yet', 'warning'],
      ['model.kind-not-yet', 'warning'],
    ]);
    expect(loaded.models.map(({ name, kind }) => [name, kind.kind])).toEqual([
      ['m.a', 'custom'],
      ['m.b', 'managed'],
    ]);
  });
});
