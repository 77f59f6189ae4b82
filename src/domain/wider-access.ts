/** What a group sees of a semantic model. */
export interface VisibleData {
  /** `all`, `none`, or the conditions in words. */
  readonly rows: string;
  /** Dimensions that are masked in all of them. */
  readonly masked: readonly string[];
}

/** What `access` and `users` of config.yaml say of one principal or group; of several entries everything that one of them says. */
export interface AccessEntry {
  /** A user, a group, or `*` for all callers. */
  readonly principal: string;
  readonly role?: string | undefined;
  /** Models that SQL may read although policies reach them. */
  readonly models?: readonly string[] | undefined;
  /** Environments that may be queried besides the default one. */
  readonly environments?: readonly string[] | undefined;
  readonly policies?: string | undefined;
  /** Groups that a user belongs to. */
  readonly groups?: readonly string[] | undefined;
}

/** One thing that a caller may see after a plan and could not see before, or for which that cannot be excluded. */
export type WiderAccess = {
  /** A group, a principal of `access`, or `*`: all callers, also those in no group. */
  readonly who: string;
  readonly reason: string;
} & (
  | {
      readonly kind: 'semantic';
      /** The semantic model. */
      readonly name: string;
      readonly before: VisibleData;
      readonly after: VisibleData;
      /** Models that SQL may read from now on, because the semantic model no longer protects them. */
      readonly models: readonly string[];
    }
  | {
      readonly kind: 'access';
      /** The key of config.yaml. */
      readonly name: 'role' | 'models' | 'environments' | 'policies' | 'groups';
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
);
