/** `*` stands for any text; letters in any case. Walks once over both texts, so no pattern is slow. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase().split('*');
  return (text) => {
    const lower = text.toLowerCase();
    const first = parts[0] as string;
    if (parts.length === 1) return lower === first;
    const last = parts[parts.length - 1] as string;
    if (!lower.startsWith(first) || lower.length < first.length + last.length || !lower.endsWith(last))
      return false;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      const found = lower.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= lower.length - last.length;
  };
}
