/** A code of Slack, such as `channel_is_archived`; undefined for any other text, which could be of a stranger. */
export const slackError = (text: unknown): string | undefined =>
  typeof text === 'string' &&
  /^[a-z]{2,}(?:_[a-z0-9]+){0,7}$/.test(text) &&
  text.length <= 60 &&
  text !== 'ok'
    ? text
    : undefined;
