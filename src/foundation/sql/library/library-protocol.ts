/** What the client asks the worker; dialects are the library's own words. */
export type LibraryRequest =
  | { readonly kind: 'transpile'; readonly text: string; readonly from: string; readonly to: string }
  | {
      readonly kind: 'lineage';
      readonly text: string;
      readonly dialect: string;
      /** A name, or a position counted from 0. */
      readonly column: string | number;
      readonly tables: readonly LibraryTable[];
    };

/** A table as the library's schema wants it. */
export interface LibraryTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The worker's answer; after `thrown` the WASM instance may be damaged, so the client replaces the worker. */
export type LibraryAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly message: string; readonly start?: number; readonly end?: number }
  | { readonly kind: 'thrown'; readonly message: string; readonly isStack: boolean };
