/** Encrypts what callers entrust to the product, so that a reader of the state cannot read it. */
export interface Sealer {
  /** `purpose`: what the secret belongs to, such as the id of a channel; the same one opens it, so a sealed text is worth nothing elsewhere. */
  seal(secret: string, purpose: string): string;
  /** Throws `secret.*` when the key is another one or missing, or when the text is not what was sealed for this purpose. */
  open(sealed: string, purpose: string): string;
}
