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
const nameless = (code: string): DiagnosticCase =>
  only(code, { 'models/a.sql': 'MODEL (name «m.a», kind FULL);\nSELECT id FROM raw.t\n' });
const custom = (code: string, text: string, model = 'm.a'): DiagnosticCase =>
  only(code, { 'models/a.sql': `MODEL (name ${model});\nSELECT 1 AS x\n`, 'linter/mine.ts': text }, 'mine');

/** What lint rules find, and what is wrong with the rules. */
export const lintCases: readonly DiagnosticCase[] = [
  only('lint.no-select-star', { 'models/a.sql': 'MODEL (name m.a);\nSELECT «*» FROM raw.t\n' }),
  only('lint.ambiguous-or-invalid-column', {
    'models/a.sql': 'MODEL (name m.a);\nSELECT «nothing» FROM ext.t AS t, ext.u AS u\n',
  }),
  only('lint.invalid-select-star-expansion', {
    'models/a.sql': 'MODEL (name m.a);\nSELECT «*» FROM ext.t\n',
  }),
  only('lint.no-missing-external', { 'models/a.sql': 'MODEL (name m.a);\nSELECT id FROM «ext.t»\n' }),
  nameless('lint.no-missing-audits'),
  nameless('lint.no-missing-owner'),
  nameless('lint.no-missing-description'),
  nameless('lint.no-missing-unit-test'),
  nameless('lint.no-missing-grain'),
  only('lint.cron-finer-than-upstream', {
    'models/a.sql': "MODEL (name m.a, kind FULL, cron '@daily');\nSELECT 1 AS id",
    'models/b.sql': "MODEL (name m.b, kind FULL, cron «'@hourly'»);\nSELECT id FROM m.a",
  }),
  only(
    'lint.unknown-rule',
    { 'models/a.sql': 'MODEL (name m.a, ignored_rules «(no_select_sta)»);\nSELECT 1 AS x\n' },
    'no-select-star',
  ),
  custom('lint.rule-failed', "export function mine() {\n  «throw new Error('no idea');»\n}\n"),
  custom('lint.custom', "export const mine = () => [{ model: 'm.a', message: 'no' }];\n", '«m.a»'),
];
