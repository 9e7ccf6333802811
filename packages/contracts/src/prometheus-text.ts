import type { MetricFamily } from './metrics.ts';

/** Families in the Prometheus text exposition format 0.0.4: what a scraper reads, and node_exporter of a file. */
export function prometheusText(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const { name, type, help, samples } of families) {
    lines.push(
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
    );
    for (const sample of samples) {
      const labels = Object.entries(sample.labels).map(([label, value]) => `${label}="${labelText(value)}"`);
      lines.push(`${sample.name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${sample.value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function labelText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
