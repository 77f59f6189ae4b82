import { escapeHtml } from '../../../foundation/escape-html.ts';

/** Prose in which words between backticks are code. */
export const proseHtml = (text: string): string =>
  escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
