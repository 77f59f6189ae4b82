import { partyKey } from '../../domain/follower.ts';
import type { ImpactReport, Reached, ReachedModel, ReachKind } from '../../domain/impact.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import type { Terminal } from '../terminal.ts';
import { cut, leftOut, listed } from './listed.ts';
import { printable } from './printable.ts';
import { counted, pad } from './table.ts';

interface Line {
  readonly what: string;
  readonly name: string;
  readonly text: string;
}

const WORDS: Readonly<Record<ReachKind, string>> = {
  value: 'other values',
  rows: 'other rows',
  key: 'other rows by a join',
  removed: 'gone, or made of what is gone',
};

/** What a change reaches, from columns to people, and what it is proven not to reach. */
export function impactText(terminal: Terminal, report: ImpactReport): readonly string[] {
  const lines = [...report.models.flatMap(modelLines), ...otherLines(report)];
  const left = untouchedLines(terminal, report);
  const shown = cut(terminal, lines);
  const width = Math.min(40, Math.max(0, ...shown.map(({ name }) => name.length)));
  return [
    ...(lines.length === 0 ? [] : ['', 'Reaches']),
    ...shown.map(({ what, name, text }) =>
      `  ${pad(what, 11)} ${printable(name).padEnd(width)}  ${printable(text)}`.trimEnd(),
    ),
    ...leftOut(lines.length - shown.length, 'name'),
    ...(left.length === 0 ? [] : ['', 'Proven untouched', ...left]),
  ];
}

/** Columns that something else reaches; of the model that changes itself the plan has said it already. */
function modelLines({ name, rows, columns }: ReachedModel): readonly Line[] {
  const isOwn = ({ through }: Reached): boolean =>
    through.every((each) => each === name || columns.some((column) => each === `${name}.${column.name}`));
  const text = ({ how, through }: Reached): string =>
    `${how.map((each) => WORDS[each]).join(', ')} through ${listed(through)}`;
  if (rows !== undefined)
    return isOwn(rows) ? [] : [{ what: 'model', name, text: `every column: ${text(rows)}` }];
  return columns.flatMap((column) =>
    isOwn(column) ? [] : [{ what: 'column', name: `${name}.${column.name}`, text: text(column) }],
  );
}

function otherLines({ semantics, perspectives, followers, consumers }: ImpactReport): readonly Line[] {
  return [
    ...semantics.map(({ kind, name, members, through }) => {
      const what = members.length === 0 ? '' : `${listed(members)} `;
      return { what: kind, name, text: `${what}through ${listed(through)}` };
    }),
    ...perspectives.map(({ perspective: { slug, owner }, through }) => ({
      what: 'perspective',
      name: slug,
      text: `of ${owner.name}, through ${listed(through)}`,
    })),
    ...followers.map(({ party, target }) => ({
      what: 'follower',
      name: partyKey(party),
      text: `of ${target}`,
    })),
    ...consumers.map(({ name, statements, lastAt, through }) => ({
      what: 'consumer',
      name,
      text: `${counted(statements, 'question')}, last ${isoInstantShort(lastAt)}, of ${listed(through)}`,
    })),
  ];
}

function untouchedLines(terminal: Terminal, { untouched }: ImpactReport): readonly string[] {
  const { models, members, metrics, perspectives } = untouched;
  const groups = [
    ['model', models],
    ['member', members],
    ['metric', metrics],
    ['perspective', perspectives.map(({ slug }) => slug)],
  ] as const;
  return groups.flatMap(([noun, names]) => {
    if (names.length === 0) return [];
    const text = terminal.isVerbose ? names.join(', ') : listed(names);
    return [`  ${pad(counted(names.length, noun), 15)} ${printable(text)}`];
  });
}
