/**
 * Common properties of all charts: no decoration, no animation, no keyboard focus. The figures are also in the text next to a chart, and the
 * page draws axes if they are needed.
 */
const bare = { accessibilityLayer: false, margin: { top: 2, right: 0, bottom: 0, left: 0 } };

const plain = {
  withXAxis: false,
  withYAxis: false,
  gridAxis: 'none',
  withLegend: false,
  yAxisProps: { domain: [0, 'dataMax'] as [number, string] },
  tooltipAnimationDuration: 0,
} as const;

export const plainBars = { ...plain, barChartProps: bare, barProps: { isAnimationActive: false } } as const;
export const plainLines = { ...plain, lineChartProps: bare } as const;
