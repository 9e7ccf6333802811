import type { MetricFamily } from './metrics.ts';

/** Families in the Prometheus text exposition format 0.0.4: what a scraper reads, and node_exporter of a file. */
export function prometheusText(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const { name: named, type, help, samples } of families) {
    const name = nameText(named);
    lines.push(
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${nameText(type)}`,
    );
    for (const sample of samples) {
      const labels = Object.entries(sample.labels).map(
        ([label, value]) => `${nameText(label)}="${labelText(value)}"`,
      );
      lines.push(
        `${nameText(sample.name)}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${sample.value}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A name has letters, digits, `_` and `:`, also where a server sent another. */
function nameText(name: string): string {
  return name.replaceAll(/[^\w:]/g, '_');
}

function labelText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
