/** A sample as a scraper would store it. */
interface Scraped {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  counter: [''],
  gauge: [''],
};

/**
 * Reads the Prometheus text format 0.0.4 and refuses what `promtool check metrics` refuses and more: a family
 * that is said twice or in two places, without help or type, a counter without `_total`, a unit that is none,
 * samples of another family, two samples of one name and labels, histograms whose classes fall or do not end in the count.
 */
export function parsePrometheus(text: string): Map<string, readonly Scraped[]> {
  if (!text.endsWith('\n') || text.includes('\r')) throw new Error('the last line has no line feed');
  const families = new Map<string, Scraped[]>();
  let current: { name: string; type: string; samples: Scraped[] } | undefined;
  let helped = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (!NAME.test(name) || families.has(name)) throw new Error(`HELP of ${name}`);
      if (!/^(?:[^\\]|\\\\|\\n)*$/.test(rest)) throw new Error(`escape in HELP of ${name}`);
      helped = name;
    } else if (kind === 'TYPE') {
      if (name !== helped || !Object.hasOwn(SUFFIXES, rest)) throw new Error(`TYPE of ${name}`);
      if ((rest === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is no ${rest}`);
      if (/_(milliseconds|minutes|hours|kilobytes|percent)(_|$)/.test(name))
        throw new Error(`unit of ${name}`);
      current = { name, type: rest, samples: [] };
      families.set(name, current.samples);
    } else {
      const sample = parseSample(line);
      const allowed = SUFFIXES[current?.type ?? ''] ?? [];
      if (current === undefined || !allowed.some((suffix) => sample.name === current?.name + suffix))
        throw new Error(`not of the family before it: ${line}`);
      if (current.samples.some((other) => keyOf(other) === keyOf(sample))) throw new Error(`twice: ${line}`);
      current.samples.push(sample);
      if (current.type === 'histogram' && sample.name.endsWith('_count')) checkHistogram(current.samples);
    }
  }
  return families;
}

function parseSample(line: string): Scraped {
  const [, name = '', inner = '', number = ''] = SAMPLE.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label = '', value = ''] = LABEL.exec(inner) ?? [];
    if (label === '' || label.startsWith('__') || Object.hasOwn(labels, label))
      throw new Error(`labels: ${line}`);
    labels[label] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  if (!/^(\+Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(number)) throw new Error(`no number: ${line}`);
  return { name, labels, value: Number(number === '+Inf' ? Infinity : number) };
}

function keyOf({ name, labels }: Scraped): string {
  return JSON.stringify([name, Object.entries(labels).toSorted()]);
}

/** Of the series that the last sample belongs to. */
function checkHistogram(family: readonly Scraped[]): void {
  const seriesOf = ({ labels }: Scraped): string =>
    JSON.stringify(
      Object.entries(labels)
        .filter(([label]) => label !== 'le')
        .toSorted(),
    );
  const last = family.at(-1);
  const samples = family.filter((sample) => last !== undefined && seriesOf(sample) === seriesOf(last));
  const buckets = samples.filter(({ name }) => name.endsWith('_bucket'));
  const bounds = buckets.map(({ labels }) => Number(labels['le'] === '+Inf' ? Infinity : labels['le']));
  const sizes = buckets.map(({ value }) => value);
  const bound = (i: number): number => bounds[i] ?? Number.NEGATIVE_INFINITY;
  if (bounds.some((_, i) => bound(i) <= bound(i - 1)) || bounds.at(-1) !== Infinity)
    throw new Error('classes are out of order');
  if (sizes.some((size, i) => size < (sizes[i - 1] ?? 0)))
    throw new Error('a class holds less than the one below it');
  if (buckets.at(-1)?.value !== samples.at(-1)?.value) throw new Error('the last class is not the count');
}
