// Follows vega, vega-lite and the interpreter in what the shell sends for `atrium.chart` (docs/contract/artifacts.md#page-api).
(() => {
  'use strict';
  const { vega, vegaLite, vegaInterpreter } = window;
  for (const name of ['vega', 'vegaLite', 'vegaInterpreter']) delete window[name];
  const views = new WeakMap();
  const DARK = {
    background: 'transparent',
    axis: { domainColor: '#888', gridColor: '#444', tickColor: '#888', labelColor: '#ddd', titleColor: '#ddd' },
    legend: { labelColor: '#ddd', titleColor: '#ddd' },
    title: { color: '#eee', subtitleColor: '#ccc' },
    view: { stroke: '#555' },
    style: { 'guide-label': { fill: '#ddd' }, 'guide-title': { fill: '#ddd' } },
  };
  const LIGHT = { background: 'transparent' };
  const noFetch = () => Promise.reject(new Error('Charts take their data from atrium.query.'));

  /** The data of the query goes in unless the spec names values of its own. */
  function withRows(spec, rows) {
    if (!rows) return spec;
    return { ...spec, data: { ...spec.data, name: spec.data?.name ?? 'rows', values: rows } };
  }

  /** Of several views, each of which has a width of its own: neither the width around them nor a fit is for them. */
  const hasViews = (spec) =>
    ['hconcat', 'vconcat', 'concat', 'facet', 'repeat'].some((name) => name in spec) ||
    ['row', 'column', 'facet'].some((channel) => spec.encoding?.[channel]);
  const sizeOf = (spec) =>
    hasViews(spec)
      ? { height: 260 }
      : { width: 'container', height: 260, autosize: { type: 'fit', contains: 'padding' } };

  async function paint(target, spec, rows, theme) {
    const full = withRows({ ...sizeOf(spec), ...spec }, rows);
    const config = vega.mergeConfig({}, theme === 'dark' ? DARK : LIGHT, spec.config ?? {});
    const { spec: compiled } = vegaLite.compile(full, { config });
    const loader = vega.loader();
    loader.load = noFetch;
    loader.sanitize = noFetch;
    // Expressions are interpreted: the policy of pages allows no evaluation.
    const runtime = vega.parse(compiled, {}, { ast: true });
    const view = new vega.View(runtime, {
      expr: vegaInterpreter.expressionInterpreter,
      renderer: 'svg',
      loader,
      hover: true,
    });
    views.get(target)?.finalize();
    views.set(target, view);
    return view.initialize(target).runAsync();
  }

  window.__atriumCharts = async (target, spec, rows, theme, onTheme) => {
    const first = !views.has(target);
    const kept = { spec, rows };
    target.__atriumChart = kept;
    const view = await paint(target, spec, rows, theme());
    if (first)
      onTheme(() => {
        if (target.isConnected) void paint(target, target.__atriumChart.spec, target.__atriumChart.rows, theme());
      });
    return view;
  };
})();
