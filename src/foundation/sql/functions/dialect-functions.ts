/** What is known of the functions of a dialect. Names are in lower case; a name that is in no set may do anything. */
export interface DialectFunctions {
  /** One value of the arguments alone. */
  readonly pure: ReadonlySet<string>;
  /** Fold rows where they have no OVER. */
  readonly aggregates: ReadonlySet<string>;
  /** Exist only with an OVER. */
  readonly windows: ReadonlySet<string>;
  /** The present time. */
  readonly clock: ReadonlySet<string>;
  /** Another value at each call, query or session. */
  readonly volatile: ReadonlySet<string>;
  /** In a FROM: their rows follow from the arguments alone. */
  readonly tables: ReadonlySet<string>;
  /** As large as a number among their arguments says. */
  readonly sized: ReadonlySet<string>;
}
