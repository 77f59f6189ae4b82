/** The page about anomaly detection, with figures that are measured while it is written. */
import { compareMethods, type Score, SEEDS, TRAINING, total } from './anomaly-comparison.ts';
import { NOISES } from './synthetic-series.ts';

const percent = (part: number, whole: number, digits: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(digits)} %`;

export function anomalyPage(): string {
  const scores = compareMethods(1, SEEDS);
  const methods = [...(scores.values().next().value?.keys() ?? [])];
  const row = (name: string, of: (method: string) => Score): string =>
    `| ${name} | ${methods.map((method) => cell(of(method))).join(' | ')} |`;
  const lines = [...scores].map(([story, byMethod]) => row(story, (method) => byMethod.get(method) as Score));
  const all = row('**all**', (method) =>
    total([...scores.values()].map((each) => each.get(method) as Score)),
  );
  return `${TEXT}
## How good it is

${SEEDS} seeds for each story and each kind of noise (${NOISES.join(', ')}): 210 daily values, the first 42 without anomalies. Each cell: anomalies found / false alarms among the
normal values. Spikes are 8 to 16 standard deviations of the noise high, four a series; the level shifts once, as far; the season has a strong Saturday; the trend goes up or down by a
standard deviation in 20 days. A shift counts as found when one of its first three values is flagged; alarms in its first week are not counted as false. The 3-sigma rules flag what lies
more than three standard deviations from the mean of the values before. All wait for ${TRAINING} values.

| planted | ${methods.map((method) => (method.includes(' ') ? method : `\`${method}\``)).join(' | ')} |
|---|${methods.map(() => '---').join('|')}|
${[...lines, all].join('\n')}

\`robust_z\` is the default: over all series it finds more than the plain rule at less than half its false alarms; with nothing but spikes in noise without a season it finds about as much. \`z\` and \`iqr\` find a little more and raise more false alarms. Use them, or a smaller \`sensitivity\`, where a missed anomaly costs more
than a false alarm. On a season without a trend the plain rule has few false alarms because its band is as wide as the season; it misses most anomalies there.

Written by \`scripts/anomaly-reference.ts\` (\`npm run generate\`); \`scripts/synthetic-series.ts\` makes the series.
`;
}

const cell = ({ planted, found, clean, falseAlarms }: Score): string =>
  `${percent(found, planted, 1)} / ${percent(falseAlarms, clean, 2)}`;

const TEXT = `# Anomaly detection

\`anomaly for avg(amount): {method: robust_z, sensitivity: 3, training: 14, season: weekly}\` compares a measured value with the values before it. Nothing else influences the outcome: the
same history gives the same outcome, on any machine and in any later version that has this page. The newest 400 values count; runs without a value are skipped. Of each state of the data the first value counts, at its time:
checking the same rows again teaches nothing, and gives the same answer.

## The formula

Values are read in order of time. Each one is either *flagged* or *learned*.

1. **Training.** Nothing is flagged until \`training\` values (at least 3) have been learned.
2. **Season.** A season has parts: \`hourly\` five minutes of the hour, \`daily\` the hour of the day, \`weekly\` the day of the week, \`monthly\` the day of the month, in UTC. The *effect* of a
   part is the median of the newest 8 differences between its values and the median of the period that ends with them (for the first period: the median of that period). A part with fewer than
   2 differences is in training. Without a season the effect is 0.
3. **Level.** The median of the newest 10 learned values without their effects. The *expected value* is level + effect.
4. **Errors.** Value − expected value, when the value came; the newest 100. For the values of the training: value − (median of the other values without their effects + effect of its part
   without it); those farther than 6 · *scale* from their median are left out.
5. **Band.** Let *m* be the median of the n errors and *d* their distances from m. With s = \`sensitivity\`:
   * \`robust_z\`: expected + m ± the greater of s · scale · (1 + 4 / n) and s / 2.4 · max(d). *scale* = 1.4826 · median(d), or 1.2533 · mean(d) where that median is 0. The
     second term asks that a value is farther off (1.25 times at s = 3) than all that was normal.
   * \`z\`: expected + mean(errors) ± s · their sample standard deviation.
   * \`iqr\`: from expected + Q1 − s / 2 · (Q3 − Q1) to expected + Q3 + s / 2 · (Q3 − Q1). Quartiles are interpolated linearly.

   A band extends at least 10⁻⁹ of the expected value to both sides: in a constant series, any other value is flagged.
6. **Score.** A value outside the band is flagged. Its *score* is its distance from the middle of the band (\`iqr\`: from the median); at the edge the score equals \`sensitivity\`.

## After an anomaly

* A flagged value is not learned: it changes neither the level nor the effects. The first flagged value in a row adds one error, on its side and at nine tenths of the way to the edge of the band. So
  bands become wider where values are often far off, and hardly wider after a single one.
* **What persists becomes normal.** When as many values in a row as half of \`training\` (rounded up, at least 3) are flagged, and without their effects they lie within the width of the band of each other,
  they are the new level from the next value on. With a training of 14 a shift is flagged seven times: a broken week is flagged for the whole week, and a permanent price rise does not alarm forever.
  Effects and errors are kept.
* A later return to the old level is flagged like any other shift.

\`plinth check --backtest\` and the test of the rule walk the stored history in this way and list what would have been flagged.

## Distance of distributions

\`distribution(amount): {against: previous, psi < 0.2}\` puts rows into bins. For numbers the edges are the deciles of the baseline (equal ones are one edge; a value equal to an edge is in the bin above it).
For other columns the 20 most frequent values of the baseline have a bin each, and all other rows are in the bin *other*. NULLs are left out. Let p be the shares before and q the shares now:

| method | formula | about |
|---|---|---|
| \`psi\` | Σ (q − p) · ln(q / p) | below 0.1 alike, above 0.2 another distribution |
| \`chi_square\` | Σ (q − p)² / p | Pearson's statistic divided by the rows, so that it does not grow with the table |
| \`ks\` | the greatest difference of the shares cumulated over the bins | for numbers |

In \`psi\` and \`chi_square\`, shares below 0.0001 count as 0.0001. Each result keeps its shares; the name of a bin contains its edges.
`;
