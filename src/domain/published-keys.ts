/** A set of keys as it was published; what the keys are worth is for the verifier to say. */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Where an issuer publishes its keys. */
export interface PublishedKeys {
  /** Asked for when what is here is old; undefined when there is nothing that counts. */
  keys(): Promise<KeySet | undefined>;
  /** What may have been published since `seen`, in which a key was missing; undefined when nothing has. */
  newerThan(seen: KeySet): Promise<KeySet | undefined>;
}
