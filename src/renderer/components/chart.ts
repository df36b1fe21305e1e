/**
 * Properties of every chart: bare, without motion, and out of the way of the keyboard. Its figures stand beside it as text, and its axes, where
 * they are needed, are drawn by the page.
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
