/** Every example of the reference of rules is read without a complaint, and the reference names what there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DQ_FORMATS } from '../../src/compiler/load/yaml/dq-assertions.ts';
import { OPTIONS_OF } from '../../src/compiler/load/yaml/dq-schema.ts';
import { loadDefinition } from '../../src/compiler/load/yaml/load-definition.ts';
import { formatPattern } from '../../src/compiler/quality/format-pattern.ts';
import { DQ_METRICS } from '../../src/domain/dq-pack.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reference/quality-rules.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

test.each(EXAMPLES.map((text) => [text] as const))('%s', (text) => {
  const whole = text.startsWith('kind:') ? text : `kind: dq\nname: pack\ndepends_on: marts.orders\n${text}`;
  const { dqPack, diagnostics } = loadDefinition({ path: 'dq/pack.yml', text: whole });
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  expect(dqPack?.rules.length).toBeGreaterThan(0);
});

test('the page has examples, and names every metric, option and format', () => {
  expect(EXAMPLES.length).toBeGreaterThan(10);
  const options = Object.values(OPTIONS_OF).flat();
  expect([...DQ_METRICS, ...options].filter((name) => !PAGE.includes(name))).toEqual([]);
  const plain = (name: string): string => name.replace(/^(?:positive|negative) /, '');
  const documented = (name: string): boolean => PAGE.includes(`\`${plain(name)}\``);
  expect(DQ_FORMATS.filter((name) => !documented(name) && !/ (?:address|number)$/.test(name))).toEqual([]);
  expect(DQ_FORMATS.filter((name) => formatPattern(name) === undefined)).toEqual(['json']);
});

test.each([
  ['email', ['a@b.de', 'jürgen.x+y@müller.example.org'], ['a@b', '@b.de', 'a b@c.de', 'a@b..de', 'a@-b.de']],
  [
    'url',
    ['https://x.org', 'http://a.b:8080/c?d=e#f', 'http://[::1]/'],
    ['x.org', 'ftp://x.org', 'http:// x'],
  ],
  ['uuid', ['0f8fad5b-d9cb-469f-a165-70867728950e'], ['0f8fad5bd9cb469fa16570867728950e', 'x']],
  ['ipv4', ['1.2.3.4', '255.255.255.255'], ['256.1.1.1', '1.2.3', '1.2.3.4.5']],
  [
    'ipv6',
    ['::', '::1', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '2001:db8::8a2e:370:7334', '::ffff:1.2.3.4'],
    ['1:2', ':::', '1:2:3:4:5:6:7:8:9'],
  ],
  ['date', ['2024-03-01'], ['2024-13-01', '01.03.2024', '2024-3-1']],
  ['date us', ['12/31/2024', '1-2-24'], ['31/12/2024']],
  ['date eu', ['31.12.2024'], ['12/31/2024']],
  [
    'timestamp',
    ['2024-03-01 12:00:00', '2024-03-01T12:00:00.5Z', '2024-03-01 12:00+01:00'],
    ['2024-03-01', '12:00'],
  ],
  ['time 24h', ['23:59', '7:05:30'], ['24:00', '7']],
  ['integer', ['0', '-12', '+3'], ['1.5', '', 'x']],
  ['positive integer', ['12', '+3'], ['-12']],
  ['negative integer', ['-12', '0'], ['12']],
  ['decimal', ['1', '1.5', '-1,5'], ['1.', 'x', '1.2.3']],
  ['percentage', ['12%', '-1.5 %'], ['12', '%']],
  ['money', ['12.50 EUR', '$1,234.50', '1.234,50 €'], ['money', '1,23,4']],
  ['phone', ['+49 30 1234567', '(555) 123-4567', '555 123 4567'], ['12', 'call me']],
  ['credit card', ['4111111111111111', '4111-1111-1111-1111'], ['4111', '4111-1111']],
  ['iban', ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00'], ['DE89', '12345678901234567890']],
  ['boolean', ['true', 'No', '1'], ['maybe', '2']],
] as const)('the format %s', (name, valid, invalid) => {
  const pattern = new RegExp(formatPattern(name) ?? '', 'u');
  expect(valid.filter((text) => !pattern.test(text))).toEqual([]);
  expect(invalid.filter((text) => pattern.test(text))).toEqual([]);
});
