import type { ChannelMessage } from '../../../domain/channel.ts';
import { isWebLink, oneLine, shortened } from '../connection/message-text.ts';

const [TITLE_MAX, TEXT_MAX, LINKS_MAX] = [150, 2900, 10];

/** A message in blocks. What comes from events is plain text, so that it cannot mention a person or a channel; only links are marked up. */
export function slackMessage({
  title,
  text,
  severity,
  links,
}: ChannelMessage): Readonly<Record<string, unknown>> {
  const plain = (words: string): unknown => ({ type: 'plain_text', text: words, emoji: false });
  const shown = shortened(oneLine(title), TITLE_MAX) || severity;
  const followed = links.filter(isWebLink).slice(0, LINKS_MAX);
  return {
    text: escaped(shown),
    blocks: [
      { type: 'header', text: plain(shown) },
      ...(text.trim() === '' ? [] : [{ type: 'section', text: plain(shortened(text, TEXT_MAX)) }]),
      ...followed.map((link) => ({
        type: 'section',
        text: { type: 'mrkdwn', text: linkText(link), verbatim: true },
      })),
      { type: 'context', elements: [plain(severity)] },
    ],
  };
}

const linkText = ({ title, url }: { readonly title: string; readonly url: string }): string =>
  `<${escaped(new URL(url).href.replaceAll('|', '%7C'))}|${escaped(shortened(oneLine(title), TITLE_MAX)).replaceAll('|', '¦')}>`;

/** The three characters that Slack reads. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
