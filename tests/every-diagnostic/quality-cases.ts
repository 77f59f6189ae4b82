import { type DiagnosticCase, loading } from './diagnostic-case.ts';

const BASE = {
  'external_models.yaml': [
    '- {name: marts.orders, columns: {order_id: bigint, customer_id: bigint, email: text, amount: "decimal(10,2)", updated_at: timestamp, region: text}}',
    '- {name: raw.orders, columns: {order_id: bigint}}',
    '',
  ].join('\n'),
};
const pack = (code: string, body: string): DiagnosticCase =>
  loading(code, { ...BASE, 'dq/x.yml': `kind: dq\n${body}\n` });
const rule = (code: string, text: string): DiagnosticCase =>
  pack(code, `name: p\ndepends_on: marts.orders\nrules:\n  - ${text}`);

/** What is wrong in dq packs. */
export const qualityCases: readonly DiagnosticCase[] = [
  pack('dq.unknown-model', 'name: p\ndepends_on: «marts.order»\nrules: [row_count > 0]'),
  rule('dq.duplicate-name', 'row_count > 0\n  - «row_count > 0»'),
  rule('dq.bad-rule', 'row_count «about» 5'),
  rule('dq.unknown-metric', '«row_cuont» > 0'),
  rule('dq.wrong-columns', '«missing_count» = 0'),
  rule('dq.unknown-column', 'avg(«amuont») > 0'),
  rule('dq.no-matching-column', 'for each column («*_key»): missing_count = 0'),
  rule('dq.type-mismatch', 'avg(«region») > 0'),
  rule('dq.option-of-other-rule', 'row_count > 0: {valid_format: «email»}'),
  rule('dq.missing-option', '«invalid_count(email) = 0»'),
  rule('dq.bad-regex', "invalid_count(email) = 0: {valid_regex: «'(a'»}"),
  rule('dq.unknown-format', 'invalid_count(email) = 0: {valid_format: «emial»}'),
  rule('dq.bad-sql', 'failed rows: {fail_query: "SELECT * FROM marts.orders WHERE «)»"}'),
  rule('dq.empty-range', 'row_count between «9 and 1»'),
  pack('dq.no-rules', 'name: «p»\ndepends_on: marts.orders'),
];
