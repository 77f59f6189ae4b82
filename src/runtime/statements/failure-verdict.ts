import { Failure, failure } from '../../domain/failure.ts';

/** What work that failed, and is not tried again, means for its owner. */
export interface FailureVerdict {
  /** What its owner sees. */
  readonly visibleError: unknown;
  /** The engine went down by it. */
  readonly isDown: boolean;
  /** Its text is refused for a while. */
  readonly isToBlame: boolean;
}

export function verdictOf(error: unknown): FailureVerdict {
  const code = error instanceof Failure ? error.code : undefined;
  const isLost = code === 'engine.lost';
  const isDown = isLost || code === 'engine.broken';
  const detail = 'it brought the engine down while nothing else ran';
  return {
    visibleError: isLost ? failure('statement.out-of-resources', { detail }, { cause: error }) : error,
    isDown,
    isToBlame: isDown || (code === 'engine.out-of-memory' && !(error as Failure).isRetryable),
  };
}
