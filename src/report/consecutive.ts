/** Neighbours with the same key, together; the order stays. */
export function groupConsecutive<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups: { readonly key: string; readonly items: Item[] }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const last = groups.at(-1);
    if (last?.key === key) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map(group => group.items);
}
