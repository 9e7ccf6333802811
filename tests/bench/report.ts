import { writeFileSync } from 'node:fs';

/** One figure beside what the machine could do at best in the same run. Names are stable: they are compared over time. */
export interface Measurement {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** The machine's own figure for the raw operation, in the same unit; null where there is none. */
  readonly floor: number | null;
  /** `value / floor`. */
  readonly ratio: number | null;
  readonly better: 'higher' | 'lower';
  /** What we aim at, for people. */
  readonly target?: string;
}

const measurements: Measurement[] = [];

export function report(
  metric: string,
  value: number,
  unit: string,
  better: Measurement['better'],
  floor: number | null = null,
  target?: string,
): void {
  const measurement = {
    metric,
    value: round(value),
    unit,
    floor: floor === null ? null : round(floor),
    ratio: floor === null ? null : round(value / floor),
    better,
    ...(target === undefined ? {} : { target }),
  };
  measurements.push(measurement);
  const cell = (text: string, width: number): string => text.padStart(width);
  process.stdout.write(
    `${metric.padEnd(44)}${cell(String(measurement.value), 12)} ${unit.padEnd(10)}${cell(measurement.floor === null ? '-' : String(measurement.floor), 12)}${cell(measurement.ratio === null ? '-' : `${measurement.ratio}x`, 12)}  ${target ?? ''}\n`,
  );
}

export function header(): void {
  process.stdout.write(
    `${'metric'.padEnd(44)}${'value'.padStart(12)} ${'unit'.padEnd(10)}${'floor'.padStart(12)}${'ratio'.padStart(12)}  target\n`,
  );
}

export function skip(metric: string, why: string): void {
  process.stdout.write(`${metric.padEnd(44)}${'skipped'.padStart(12)} ${why}\n`);
}

export function writeJson(path: string): void {
  writeFileSync(path, `${JSON.stringify(measurements, null, 2)}\n`);
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
