import type { Observable } from './observables.ts';
import type { Data, KeyProject } from './project.ts';

/** How it is known that a key does something. */
export type Evidence =
  /** The project with and without the key (or with it and with `instead`) is observed, and what is seen must differ. */
  | {
      readonly kind: 'differs';
      readonly value: Data;
      readonly observe: Observable;
      readonly instead?: Data;
      readonly around?: Partial<KeyProject>;
      readonly at?: string;
    }
  /** A word that stands nowhere else is written, and a door shows it. All of these are written into one project. */
  | { readonly kind: 'shown'; readonly as?: (word: string) => Data; readonly at?: string }
  /** Writing this value is refused or warned about with a code: the key is read. */
  | {
      readonly kind: 'says';
      readonly value: Data;
      readonly code: string;
      readonly at?: string;
      readonly around?: Partial<KeyProject>;
    }
  /** Another test changes the key and shows what follows. `word` is what its text must have, when not the key itself. */
  | { readonly kind: 'test'; readonly file: string; readonly name: string; readonly word?: string };

export type EvidenceOf = Readonly<Record<string, Evidence>>;

export const differs = (
  value: Data,
  observe: Observable,
  more: {
    readonly instead?: Data;
    readonly around?: Partial<KeyProject>;
    readonly at?: string;
  } = {},
): Evidence => ({ kind: 'differs', value, observe, ...more });

export const shown = (as?: (word: string) => Data, at?: string): Evidence => ({
  kind: 'shown',
  ...(as === undefined ? {} : { as }),
  ...(at === undefined ? {} : { at }),
});

export const says = (
  value: Data,
  code: string,
  more: { readonly at?: string; readonly around?: Partial<KeyProject> } = {},
): Evidence => ({ kind: 'says', value, code, ...more });

export const by = (file: string, name: string, word?: string): Evidence => ({
  kind: 'test',
  file,
  name,
  ...(word === undefined ? {} : { word }),
});
