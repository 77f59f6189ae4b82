/**
 * Asks another process of this program one question; the process ends with the answer, or with the signal. Questions and answers are
 * plain data. Without an answer: what the process wrote last, or how it ended.
 */
export type AskProcess = (
  /** A module that answers, by its path in the source without extension. */
  worker: string,
  question: object,
  where: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<{ readonly answer: unknown } | { readonly lastWords: string }>;
