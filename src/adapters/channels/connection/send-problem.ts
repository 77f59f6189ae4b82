import type { SendOutcome } from '../../../domain/channel.ts';

/** Why one attempt failed, in words for the owner of the channel: without secrets, and without what a stranger answered. */
export class SendProblem extends Error {
  readonly isPermanent: boolean;
  readonly status: number | undefined;

  constructor(
    reason: string,
    {
      isPermanent = false,
      status,
      cause,
    }: {
      readonly isPermanent?: boolean;
      readonly status?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(reason, { cause });
    this.name = 'SendProblem';
    this.isPermanent = isPermanent;
    this.status = status;
  }

  get outcome(): SendOutcome {
    const { message: reason, isPermanent, status } = this;
    return { kind: 'failed', reason, isPermanent, ...(status === undefined ? {} : { status }) };
  }
}
