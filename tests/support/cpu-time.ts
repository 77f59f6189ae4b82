/** Processor time of this process so far: the machine may be busy with others. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
