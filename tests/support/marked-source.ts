/** A source text with the places that a test expects to be marked: `«…»` around each, removed from `text`. */
export interface MarkedSource {
  readonly text: string;
  /** The first marked place. */
  readonly range: { readonly start: number; readonly end: number };
  /** Every marked place, in order; marks do not nest. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

/** Takes the marks out of a source: `marked('MODEL (name a.b, «knd» FULL)')`. Without marks the range is empty at 0. */
export function marked(source: string): MarkedSource {
  const ranges: { start: number; end: number }[] = [];
  let text = '';
  let open: number | undefined;
  for (const piece of source.split(/([«»])/)) {
    if (piece === '«') {
      if (open !== undefined) throw new Error('marks do not nest');
      open = text.length;
    } else if (piece === '»') {
      if (open === undefined) throw new Error('a mark is closed that was not opened');
      ranges.push({ start: open, end: text.length });
      open = undefined;
    } else text += piece;
  }
  if (open !== undefined) throw new Error('a mark is not closed');
  return { text, range: ranges[0] ?? { start: 0, end: 0 }, ranges };
}
