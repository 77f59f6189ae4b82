import type { Channel, ChannelMessage, ChannelTarget } from '../../../domain/channel.ts';
import { attempt } from '../connection/attempt.ts';
import type { Reaching } from '../connection/guarded-connection.ts';
import { guardedPost } from '../connection/guarded-post.ts';
import { httpOutcome } from '../connection/http-outcome.ts';
import { isWebLink, oneLine, shortened } from '../connection/message-text.ts';

/** A card may have 28 kB. */
const [TITLE_MAX, TEXT_MAX, LINKS_MAX] = [200, 6000, 6];
const COLORS = { info: 'default', warning: 'warning', error: 'attention', critical: 'attention' } as const;
/** With these words a connector of Office answers 200 to what Teams refused. */
const REFUSED = 'Webhook message delivery failed';

/** The address of a workflow of Teams that posts cards; it is a secret. */
export const teamsChannel = (
  { url }: Extract<ChannelTarget, { readonly kind: 'teams' }>,
  reaching: Reaching,
): Channel => ({
  send: (message, { signal, at }) =>
    attempt({ signal, totalMs: reaching.totalMs }, async (limited) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const posted = await guardedPost(
        { url, headers, body: JSON.stringify(teamsMessage(message)) },
        reaching,
        limited,
      );
      if (posted.status === 200 && posted.text.startsWith(REFUSED))
        return { kind: 'failed', status: 200, reason: 'Teams refused the message', isPermanent: false };
      return httpOutcome(posted, { at, refuses: true });
    }),
});

function teamsMessage(message: ChannelMessage): unknown {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: linesOf(message),
    actions: message.links
      .filter(isWebLink)
      .slice(0, LINKS_MAX)
      .map(({ title, url }) => ({
        type: 'Action.OpenUrl',
        title: shortened(oneLine(title), TITLE_MAX),
        url,
      })),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** Runs of text are shown as they are; a block of text would read Markdown, so an event could bring its own links. */
function linesOf({ title, text, severity }: ChannelMessage): readonly unknown[] {
  const run = (words: string, look: Readonly<Record<string, unknown>> = {}): unknown => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: words, ...look }],
  });
  return [
    run(shortened(oneLine(title), TITLE_MAX) || severity, {
      size: 'large',
      weight: 'bolder',
      color: COLORS[severity],
    }),
    ...shortened(text, TEXT_MAX)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => run(line)),
    run(severity, { isSubtle: true, size: 'small' }),
  ];
}
