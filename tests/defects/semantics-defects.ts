import type { Defect, Mechanism } from './defect.ts';

/** Random questions, compared with the rules computed row by row. */
const ORACLE: Mechanism = { file: 'tests/semantic/oracle/oracle.test.ts' };

/** Wrong numbers that a trial from outside found in semantics. */
export const SEMANTICS_DEFECTS: readonly Defect[] = [
  {
    name: 'semantic: the second granularity comes from the rows of a window',
    seen: 'Year to date by month and quarter gave 70 and 80 in place of 150, and last year stood under this one.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/semantic/time/bind-variant.ts',
        find: '    else known.members.push(member);\n  }\n  return shown;',
        replace: '    else known.members.push(member);\n  }\n  return shown.slice(0, 1);',
      },
    ],
  },
  {
    name: 'semantic: filters on measures come before windows in measures',
    seen: 'A share of the total was 1.0 in place of 0.2 when a filter on a measure left one group.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/semantic/lower-query.ts',
        find: 'if (windows !== undefined && (logical.having.length > 0 || windows.levels.length > 1))',
        replace: 'if (windows !== undefined && windows.levels.length > 1)',
      },
    ],
  },
  {
    name: 'semantic: an or of dates narrows a window',
    seen: 'A running total began anew in each of two months that a filter joined by or.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/semantic/time/time-uses.ts',
        find: 'if (refs.length === 0 || refs.includes(undefined)) return [];',
        replace: "if (filter.kind !== 'member' || refs.includes(undefined)) return [];",
      },
      {
        file: 'src/compiler/semantic/part-set.ts',
        find: "if ('code' in condition || isOfPeriod === undefined || !leaves.some(isOfPeriod)) {",
        replace:
          "if ('code' in condition || isOfPeriod === undefined || filter.kind !== 'member' || !leaves.some(isOfPeriod)) {",
      },
    ],
  },
  {
    name: 'semantic: a shift of part of a bucket answers another period',
    seen: 'Five days ago by month was the whole month before.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/semantic/time/without-window.ts',
        find: 'return shiftsOf(part.variant).every(({ by }) => keepsBeginnings(periods, durationOf(by)));',
        replace:
          'return shiftsOf(part.variant).every(({ by }) => periods !== undefined && by !== undefined);',
      },
    ],
  },
  {
    name: 'semantic: a direct join is one way among many',
    seen: 'With five facts that share four dimensions, counting one dimension by a fact was refused as ambiguous.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/load/yaml/join-paths.ts',
        find: '    if (direct.length > 0)\n',
        replace: '    if (direct.length > 0 && isRole)\n',
      },
    ],
  },
  {
    name: 'semantic: a hint that ends with the model does not decide the way',
    seen: 'A way that a hint named to its end was refused, or was another one.',
    mechanism: ORACLE,
    edits: [
      {
        file: 'src/compiler/load/yaml/join-paths.ts',
        find: 'for (const hint of hints.filter(isAbout)) {',
        replace: 'for (const hint of hints.filter((each) => each.length === 0)) {',
      },
    ],
  },
];
