import { builtInRules } from '../../src/compiler/lint/built-in-rules.ts';
import { EXAMPLE_TABLES } from '../support/example-tables.ts';
import { type DiagnosticCase, linting, type MarkedFiles } from './diagnostic-case.ts';

const RAW = '- {name: raw.t, columns: {id: int, day: date}}\n';
/** With only the rule of the code, which is named as the code is. */
const only = (code: string, files: MarkedFiles, rule = code.slice('lint.'.length)): DiagnosticCase =>
  linting(code, {
    'config.yaml': `linter: {enabled: true, rules: [${rule}]}\n`,
    'external_models.yaml': RAW,
    'models/healthy.sql': 'MODEL (name h.healthy, ignored_rules ALL);\nSELECT 1 AS id\n',
    ...files,
  });
const custom = (code: string, text: string, model = 'm.a'): DiagnosticCase =>
  only(code, { 'models/a.sql': `MODEL (name ${model});\nSELECT 1 AS x\n`, 'linter/mine.ts': text }, 'mine');

/** What lint rules find, and what is wrong with the rules. */
export const lintCases: readonly DiagnosticCase[] = [
  ...builtInRules.map(({ name, examples }) => {
    const { 'config.yaml': config = '', ...files } = examples?.bad ?? {};
    const linter = `linter: {enabled: true, rules: [${name}]}\n`;
    return only(`lint.${name}`, {
      'external_models.yaml': EXAMPLE_TABLES,
      ...files,
      'config.yaml': `${config === '' ? 'name: p\nowner: o\ndescription: d\n' : config}${linter}`,
    });
  }),
  only(
    'lint.unknown-rule',
    { 'models/a.sql': 'MODEL (name m.a, ignored_rules «(no_select_sta)»);\nSELECT 1 AS x\n' },
    'no-select-star',
  ),
  only(
    'lint.python-not-yet',
    {
      'models/a.sql': 'MODEL (name m.a);\nSELECT 1 AS x\n',
      'linter/user.py': 'from sqlmesh.core.linter.rule import Rule\n\n\nclass «NoSecrets»(Rule):\n    pass\n',
    },
    'nosecrets',
  ),
  custom('lint.rule-failed', "export function mine() {\n  «throw new Error('no idea');»\n}\n"),
  custom('lint.custom', "export const mine = () => [{ model: 'm.a', message: 'no' }];\n", '«m.a»'),
];
