/** Without the keys that are undefined, as exact optional properties want. */
export function present<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const result: { [Key in keyof Value]?: Exclude<Value[Key], undefined> } = {};
  for (const key in value) {
    const each = value[key];
    if (each !== undefined) result[key] = each as Exclude<Value[typeof key], undefined>;
  }
  return result;
}
