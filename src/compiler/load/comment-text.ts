/** What a comment says, without its delimiters and the stars that some editors put before each line. */
export function commentText(comment: string): string {
  if (!/^(?:\/\*|\{#)/.test(comment)) return comment.replace(/^(--+|#|\/\/)/, '').trim();
  return comment
    .slice(2, /(?:\*\/|#\})$/.test(comment) ? -2 : undefined)
    .split('\n')
    .map((line) => line.replace(/^\s*\*(?=\s|$)/, '').trim())
    .join('\n')
    .trim();
}
