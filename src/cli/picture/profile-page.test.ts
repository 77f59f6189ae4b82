import { describe, expect, test } from 'vitest';
import type { ColumnProfile, TableProfile } from '../../domain/table-profile.ts';
import { visibleProfile } from '../../domain/visible-profile.ts';
import { profilePage } from './profile-page.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`;

const columnOf = (name: string, values: readonly string[]): ColumnProfile => ({
  name,
  type: 'VARCHAR',
  family: 'text',
  nulls: 5,
  distinct: values.length,
  duplicates: 90,
  min: values[0] as string,
  max: values.at(-1) as string,
  lengths: { min: 1, max: 50, avg: 12.5 },
  empties: 0,
  topValues: values.map((value, i) => ({ value, rows: 40 - i })),
  patterns: values.map((value, i) => ({ pattern: value, rows: 40 - i })),
  histogram: Array.from({ length: 20 }, (_, i) => ({ from: i, to: i + 1, rows: i * 3 })),
  drift: {
    previous: { profile: 'o_1', psi: 0.5, nullRate: 0.02, newValues: [values[0] as string], isDrifted: true },
  },
});

const profileOf = (columns: readonly ColumnProfile[], at = Date.UTC(2024, 4, 1)): TableProfile => ({
  id: 'o_2',
  environment: 'prod',
  model: 'marts.orders',
  runId: 'c_1',
  at,
  ms: 12,
  dataVersion: '1:1',
  rows: 100,
  columns,
});

const pageOf = (profile: TableProfile): string =>
  profilePage([{ profile, history: [profileOf(profile.columns, Date.UTC(2024, 3, 1))] }], 'Profiles');

describe('the page about profiles', () => {
  test('has no script and asks for nothing from elsewhere', () => {
    const page = pageOf(profileOf([columnOf('a', ['x', 'y'])]));
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:\/\//i);
    expect(page).toContain("default-src 'none'");
  });

  test('escapes names and values', () => {
    const hostile = columnOf(HOSTILE, [HOSTILE, '</style>', '</svg>']);
    const page = pageOf({
      ...profileOf([{ ...hostile, type: HOSTILE }]),
      model: HOSTILE,
      environment: HOSTILE,
    });
    expect(page).not.toMatch(/<script|<img/i);
    expect(page).toContain('&lt;script&gt;');
    expect([...page.matchAll(/<\/style>/g)]).toHaveLength(1);
    // Every quote of a value is an entity, so none ends an attribute.
    expect(page).not.toContain('">alert');
  });

  test('marks drift, and has a table beside each picture', () => {
    const page = pageOf(profileOf([columnOf('a', ['x', 'y'])]));
    expect(page).toContain('class="drifted"');
    expect(page).toContain('NULLs 2.0 points more, PSI 0.50, new: x');
    const pictures = [...page.matchAll(/<svg[^>]*>/g)].map(([tag]) => tag);
    // Rows and NULLs over time, and a histogram.
    expect(pictures).toHaveLength(3);
    for (const picture of pictures) expect(picture).toMatch(/role="img" aria-label="[^"]+"/);
    expect([...page.matchAll(/<\/svg>\s*<div class="axis">.*<\/div>\s*<details>/g)]).toHaveLength(3);
  });

  test('shows what a column that drifted was like before, and points lie where their times are', () => {
    const now = columnOf('a', ['x', 'z']);
    const then = { ...columnOf('a', ['x', 'y']), nulls: 0 };
    const at = (id: string, day: number, columns: readonly ColumnProfile[]): TableProfile => ({
      ...profileOf(columns, Date.UTC(2024, 4, day)),
      id,
    });
    const page = profilePage(
      [{ profile: at('o_2', 11, [now]), history: [at('o_1', 10, [then]), at('o_0', 1, [then])] }],
      'Profiles',
    );
    expect(page).toContain('<a href="#t0c0">a</a>');
    expect(page).toContain('class="before"');
    expect(page).toMatch(/>x<\/th>.*?<td class="was">40 %<\/td>.*?>z<\/th>.*?<td class="was">new<\/td>/);
    const [, , nulls = ''] = [...page.matchAll(/<svg.*?<\/svg>/g)].map(([svg]) => svg);
    expect([...nulls.matchAll(/cx="([\d.]+)"/g)].map(([, x]) => Number(x))).toEqual([4, 284.8, 316]);
  });

  test('draws no list of values that are all different, and no line of NULLs where there are none', () => {
    const id = columnOf('id', ['x', 'y']);
    const page = pageOf(
      profileOf([
        {
          ...id,
          nulls: 0,
          topValues: [
            { value: 'x', rows: 1 },
            { value: 'y', rows: 1 },
          ],
        },
      ]),
    );
    expect(page).toContain('Every value is there once.');
    expect(page).toContain('No NULLs in 2 profiles.');
    expect(page).not.toContain('Most frequent values');
  });

  test('of times has dates at the edges', () => {
    const [from, to] = [Date.UTC(2024, 0, 1) / 1000, Date.UTC(2024, 0, 2) / 1000];
    const day: ColumnProfile = {
      ...{ name: 'd', type: 'DATE', family: 'time', nulls: 0 },
      histogram: [{ from, to, rows: 3 }],
    };
    expect(pageOf(profileOf([day]))).toContain('2024-01-01 to 2024-01-02: 3 rows');
    const moment = { ...day, type: 'TIMESTAMP' };
    expect(pageOf(profileOf([moment]))).toContain('2024-01-01T00:00:00Z to 2024-01-02T00:00:00Z: 3 rows');
  });

  test('of 50 columns is smaller than 2 MB', () => {
    const values = Array.from({ length: 20 }, (_, i) => `${i}${'<'.repeat(199)}`);
    const page = pageOf(profileOf(Array.from({ length: 50 }, (_, i) => columnOf(`c${i}`, values))));
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
  });

  test('shows no value of a masked column', () => {
    const secret = columnOf('Email', ['mara@secret.example', 'zoe@secret.example']);
    const shown = columnOf('status', ['open', 'done']);
    const masked = visibleProfile(profileOf([secret, shown]), () => new Set(['email']));
    const page = pageOf(masked);
    expect(page).not.toContain('secret.example');
    expect(page).toContain('hidden from you by a policy');
    expect(page).toContain('open');
    const filtered = pageOf(visibleProfile(profileOf([secret, shown]), () => 'all'));
    expect(filtered).not.toContain('secret.example');
    expect(filtered).not.toContain('open</th>');
  });

  test('of an empty table says so without pictures', () => {
    const page = pageOf({
      ...profileOf([{ name: 'a', type: 'INTEGER', family: 'number', nulls: 0, distinct: 0 }]),
      rows: 0,
    });
    expect(page.slice(page.indexOf('<article'))).not.toContain('<svg');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});
