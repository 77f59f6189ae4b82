/** Whether a text begins with another, as a range: its statement is the same for every prefix, and takes two parameters. */
export const beginsWith = (text: string): string => `(${text} >= ? AND ${text} < ?)`;

/** The parameters: texts are compared by their characters' numbers, and none has a greater one. */
export const prefixRange = (prefix: string): readonly [from: string, to: string] => [
  prefix,
  `${prefix}\u{10ffff}`,
];
