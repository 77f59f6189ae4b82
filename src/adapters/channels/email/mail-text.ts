import type { ChannelMessage } from '../../../domain/channel.ts';
import { escapeHtml } from '../../../foundation/escape-html.ts';
import { isWebLink } from '../connection/message-text.ts';

/** The same in plain text and in HTML without styles, images or scripts. */
export function mailText({ title, text, severity, links }: ChannelMessage): {
  readonly text: string;
  readonly html: string;
} {
  const followed = links.filter(isWebLink);
  const lines = text.split('\n');
  return {
    text: `${[
      title,
      ...(text === '' ? [] : [text]),
      ...(followed.length === 0 ? [] : [followed.map((link) => `${link.title}: ${link.url}`).join('\n')]),
      severity,
    ].join('\n\n')}\n`,
    html: [
      '<!DOCTYPE html>',
      '<html>',
      '<body>',
      `<h1>${escapeHtml(title)}</h1>`,
      ...(text === '' ? [] : [`<p>${lines.map(escapeHtml).join('<br>')}</p>`]),
      ...followed.map((link) => `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.title)}</a></p>`),
      `<p>${severity}</p>`,
      '</body>',
      '</html>',
      '',
    ].join('\n'),
  };
}
