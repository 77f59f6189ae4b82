/** One line: what would end it, and what cannot be seen, becomes a blank. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** At most so many characters, and a sign that there were more. */
export const shortened = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Links that a reader may follow; other protocols than HTTP could run something. */
export const isWebLink = ({ url }: { readonly url: string }): boolean =>
  /^https?:$/.test(URL.parse(url)?.protocol ?? '');
