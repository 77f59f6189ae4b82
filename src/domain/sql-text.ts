/** A piece of SQL as the user wrote it, macros included, and where it begins in its file. */
export interface SqlText {
  readonly text: string;
  readonly start: number;
  /** Written between JINJA_…_BEGIN and JINJA_END: rendered by Jinja before macros are looked for. */
  readonly isJinja: boolean;
  /** Comes from model_defaults in config.yaml, not from the model's file: `start` means nothing then. */
  readonly isDefault?: boolean;
}
