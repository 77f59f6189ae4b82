/** The path of a seed from the project folder, or undefined when it leaves the folder. `$root/…` begins there, others at the model's file. */
export function seedPath(written: string, modelPath: string): string | undefined {
  const isFromRoot = /^\$root(\/|$)/i.test(written);
  if (!isFromRoot && (written.startsWith('/') || /^[a-z]:/i.test(written))) return undefined;
  const steps = isFromRoot ? [] : modelPath.split('/').slice(0, -1);
  for (const step of (isFromRoot ? written.slice(5) : written).split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.length === 0 ? undefined : steps.join('/');
}
