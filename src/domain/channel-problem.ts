import { unreachable } from '../foundation/unreachable.ts';
import type { ChannelReach, ChannelTarget } from './channel.ts';
import { channelHostProblem, channelUrlProblem, mailPortProblem } from './channel-address.ts';
import { parseMailAddress } from './mail-address.ts';
import { signingSecretProblem } from './signing-key.ts';

type Target<Kind extends ChannelTarget['kind']> = Extract<ChannelTarget, { readonly kind: Kind }>;

const HEADERS_MAX = 32;
const HEADER_LENGTH_MAX = 4096;
const RECIPIENTS_MAX = 100;
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Visible characters, blanks and tabs: no line can end inside. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** What the protocols say themselves. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|proxy-.*|webhook-.*)$/i;
/** One line of visible text. */
const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

/** Why a channel cannot work as it is described; undefined when only sending will show it. Repeats no secret. */
export function channelProblem(target: ChannelTarget, reach: ChannelReach): string | undefined {
  switch (target.kind) {
    case 'webhook':
      return (
        channelUrlProblem(target.url, reach) ?? keysProblem(target) ?? headersProblem(target.headers ?? {})
      );
    case 'slack-webhook':
    case 'teams':
      return channelUrlProblem(target.url, reach);
    case 'slack-api':
      if (!/^[\x21-\x7e]+$/.test(target.token)) return 'the token is not one of Slack';
      return /^[#@]?[^\s\p{Cc}]{1,80}$/u.test(target.channel)
        ? undefined
        : 'the channel is not a name or an id';
    case 'email':
      return emailProblem(target, reach);
    default:
      return unreachable(target);
  }
}

function keysProblem({ signingKeys }: Target<'webhook'>): string | undefined {
  if (signingKeys.length === 0) return 'there is no key to sign with';
  for (const { algorithm, secret } of signingKeys) {
    const problem = signingSecretProblem(algorithm, secret);
    if (problem !== undefined) return `the key cannot sign: ${problem}`;
  }
  return undefined;
}

function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) return `there are more than ${HEADERS_MAX} headers`;
  const wrong = entries.find(([name]) => !TOKEN.test(name) || name.length > HEADER_LENGTH_MAX);
  if (wrong !== undefined) return 'a header has a name that HTTP does not allow';
  for (const [name, value] of entries) {
    if (OWN_HEADERS.test(name)) return `the header ${name} is set by Plinth`;
    if (!HEADER_VALUE.test(value) || value.length > HEADER_LENGTH_MAX)
      return `the value of the header ${name} is not one line of ASCII`;
  }
  return undefined;
}

function emailProblem(target: Target<'email'>, reach: ChannelReach): string | undefined {
  const { host, port, security, user, password, sender, recipients, subject = '' } = target;
  const place = channelHostProblem(host, reach) ?? (port === undefined ? undefined : mailPortProblem(port));
  if (place !== undefined) return place;
  if (security === 'none' && !reach.allowPrivate)
    return 'only a server that allows private addresses sends without encryption';
  if ((user === undefined) !== (password === undefined)) return 'a user and a password belong together';
  if (hasControls(`${user ?? ''}${password ?? ''}`))
    return 'the user or the password has a control character';
  if (hasControls(subject)) return 'the subject has a control character';
  if (parseMailAddress(sender) === undefined) return 'the sender is not an address';
  if (recipients.length === 0) return 'there is no recipient';
  if (recipients.length > RECIPIENTS_MAX) return `there are more than ${RECIPIENTS_MAX} recipients`;
  return recipients.every((each) => parseMailAddress(each) !== undefined)
    ? undefined
    : 'a recipient is not an address';
}
