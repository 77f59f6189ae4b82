interface Wanted {
  /** Older than this id. */
  readonly before?: string;
  readonly limit: number;
}

/** As many as are wanted of those whose model the caller may know of, newest first: a page is not shorter for what is left out. */
export async function namedItems<Item extends { readonly id: string; readonly model: string }>(
  { before, limit }: Wanted,
  read: (page: Wanted) => Promise<readonly Item[]>,
  isNamed: (model: string) => boolean,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let at = before; ; ) {
    const batch = await read({ ...(at === undefined ? {} : { before: at }), limit });
    found.push(...batch.filter(({ model }) => isNamed(model)));
    at = batch.at(-1)?.id;
    if (batch.length < limit || found.length >= limit) return found.slice(0, limit);
  }
}
