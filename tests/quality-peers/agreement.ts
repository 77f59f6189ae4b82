import type { PeerVerdict, Verdicts } from './our-verdicts.ts';

/** Checks whose measured values are of different things in the two tools; their verdicts are compared all the same. */
const OTHER_VALUE: Readonly<Record<string, string>> = {
  s37: 'the age depends on the moment of the run',
  s38: 'the age depends on the moment of the run',
  s40: 'Soda shows the difference of the counts, we show the count',
  s45: 'an imported expression is a query of failing rows',
  s46: 'an imported query is a query of failing rows',
  g32: 'one is the share of distinct values, the other that of duplicates',
};

/** Percentages of Soda have two decimals. */
const TOLERANCE = 0.005;

/** How our verdicts differ from those of a peer; empty when they agree in all. A check that only one of them has is a difference. */
export function differences(peer: Verdicts, ours: Verdicts): readonly string[] {
  return [...new Set([...Object.keys(peer), ...Object.keys(ours)])].toSorted().flatMap((name) => {
    const [theirs, own] = [peer[name], ours[name]];
    if (theirs === undefined || own === undefined)
      return [`${name}: only ${theirs === undefined ? 'we have' : 'they have'} it`];
    if (theirs.outcome !== own.outcome) return [`${name}: they say ${theirs.outcome}, we say ${own.outcome}`];
    const isOther = Object.hasOwn(OTHER_VALUE, name.slice(0, 3));
    return isOther || isAlike(theirs, own)
      ? []
      : [`${name}: they measure ${theirs.values.join()}, we measure ${own.values.join()}`];
  });
}

function isAlike(theirs: PeerVerdict, own: PeerVerdict): boolean {
  return theirs.values.every((value) =>
    own.values.some((each) => Math.abs(each - value) <= TOLERANCE * Math.max(1, Math.abs(value))),
  );
}
