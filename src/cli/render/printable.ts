// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a project for a terminal: control characters and marks that turn the writing direction become �, so that no file can move the cursor or hide what it says. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '�');
}
