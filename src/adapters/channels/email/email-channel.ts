/*
 * Mail over SMTP. The connection is ours, so the address is checked and nothing is sent before it is encrypted; nodemailer
 * speaks the protocol on it and writes the message. Addresses are parsed here: it gets them apart from names, and no texts
 * of headers.
 */
import { hash } from 'node:crypto';
import type { Channel, ChannelMessage, ChannelTarget, SendOutcome } from '../../../domain/channel.ts';
import { type MailAddress, parseMailAddress } from '../../../domain/mail-address.ts';
import { attempt } from '../connection/attempt.ts';
import { ended, guardedConnection, type Reaching } from '../connection/guarded-connection.ts';
import { oneLine } from '../connection/message-text.ts';
import { SendProblem } from '../connection/send-problem.ts';
import { mailText } from './mail-text.ts';

type EmailTarget = Extract<ChannelTarget, { readonly kind: 'email' }>;

/** Mail servers let strangers wait for their greeting. */
const TOTAL_MS = 30_000;
const PORTS = { tls: 465, starttls: 587, none: 587 } as const;

export const emailChannel = (target: EmailTarget, reaching: Reaching): Channel => ({
  send: (message, { signal, at }) =>
    attempt({ signal, totalMs: reaching.totalMs ?? TOTAL_MS }, (limited) =>
      sent(target, { message, at, reaching }, limited),
    ),
});

interface Sending {
  readonly message: ChannelMessage;
  readonly at: number;
  readonly reaching: Reaching;
}

async function sent(
  target: EmailTarget,
  { message, at, reaching }: Sending,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { host, security = 'starttls', user, password } = target;
  const [{ createTransport }, connection] = await Promise.all([
    import('nodemailer'),
    guardedConnection(
      { host, port: target.port ?? PORTS[security], isEncrypted: security === 'tls' },
      reaching,
      signal,
    ),
  ]);
  const transport = createTransport({
    connection,
    host,
    secure: security === 'tls',
    secured: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    ...(reaching.authorities === undefined ? {} : { tls: { ca: reaching.authorities } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    return outcomeOf(await ended(transport.sendMail(mailOf(target, { message, at })), signal));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof SendProblem ? error : problemOf(error);
  } finally {
    transport.close();
    connection.destroy();
  }
}

type Mail = Parameters<ReturnType<typeof import('nodemailer').createTransport>['sendMail']>[0];

function mailOf(
  { sender, recipients, subject }: EmailTarget,
  { message, at }: Pick<Sending, 'message' | 'at'>,
): Mail {
  const from = addressOf(sender);
  const to = recipients.map(addressOf);
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    from,
    to,
    envelope: { from: from.address, to: to.map(({ address }) => address) },
    subject: oneLine(subject === undefined ? message.title : `${subject} ${message.title}`),
    ...mailText(message),
    date: new Date(at),
    // The same for each attempt, so that a mail program shows a repeated one once.
    messageId: `<${hash('sha256', message.id, 'hex').slice(0, 32)}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function addressOf(text: string): MailAddress {
  const parsed = parseMailAddress(text);
  if (parsed === undefined) throw new SendProblem('an address is not one of email', { isPermanent: true });
  return parsed;
}

interface Sent {
  readonly response?: string | undefined;
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

/** What the errors of nodemailer have that matters here; their messages repeat what the server said. */
interface SmtpError {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

/** A recipient who is refused for now gets the message by a further attempt; the others then get it twice, under one id. */
function outcomeOf({ response = '', rejectedErrors = [] }: Sent): SendOutcome {
  const deferred = rejectedErrors.find(isPassing);
  if (deferred !== undefined) throw problemOf(deferred);
  const status = Number(response.slice(0, 3));
  const count = rejectedErrors.length;
  return {
    kind: 'delivered',
    status,
    ...(count === 0 ? {} : { detail: `the mail server refused ${count} of the recipients for good` }),
  };
}

/** A refused STARTTLS can be an attack on the connection, which another attempt does not meet. */
const isPassing = ({ responseCode, command }: SmtpError): boolean =>
  responseCode === undefined || responseCode < 500 || command === 'STARTTLS';

function problemOf(error: unknown): SendProblem {
  const { code = 'unknown', command, responseCode, rejectedErrors = [] } = error as SmtpError;
  if (responseCode === undefined)
    return new SendProblem(`the mail server cannot be used (${code})`, { cause: error });
  const step = command === undefined ? '' : ` to ${command}`;
  return new SendProblem(`the mail server answered ${responseCode}${step}`, {
    status: responseCode,
    isPermanent: !isPassing(error as SmtpError) && !rejectedErrors.some(isPassing),
    cause: error,
  });
}
