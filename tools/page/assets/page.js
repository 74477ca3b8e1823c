'use strict';
// Draws what the data says. Boxes of a scope are laid out as if all scopes in it
// were closed; where one opens, the sheet around it is stretched.

const page = JSON.parse(document.getElementById('data').textContent);

const kColours = ['#9ecbee', '#f7c27b', '#a5d6a0', '#e7a6c8', '#f3e68a', '#b9a7e0',
                  '#8fd6cf', '#e39a8d'];
const kEverywhere = '#dcdfe3';
const kHead = 24, kPad = 12;

const colourOf = p => p < 0 ? kEverywhere : kColours[p % kColours.length];
const partitionName = p => p < 0 ? 'every partition' : 'partition ' + p;

function formatSeconds(s) {
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];
  const [scale, unit] = units.find(([u]) => Math.abs(s) >= u) || units[3];
  return (s / scale).toPrecision(3) + ' ' + unit;
}

function formatBytes(b) {
  let unit = 0;
  for (; b >= 1024 && unit < 4; ++unit) b /= 1024;
  return (unit ? b.toFixed(1) : b) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
}

function add(parent, tag, attributes, text) {
  const inSvg = tag === 'svg' || parent.namespaceURI.endsWith('svg');
  const element = inSvg
      ? document.createElementNS('http://www.w3.org/2000/svg', tag)
      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

// What appears where the mouse is. `text` is called when it is needed.
const tip = document.getElementById('tip');
const tips = new WeakMap();
function explain(element, text) {
  tips.set(element, text);
}
document.addEventListener('mousemove', event => {
  let element = event.target;
  while (element && !tips.has(element)) element = element.parentElement;
  tip.style.display = element ? 'block' : 'none';
  if (!element) return;
  tip.textContent = tips.get(element)();
  const x = event.clientX + 16, y = event.clientY + 16;
  tip.style.left = Math.max(0, Math.min(x, innerWidth - tip.offsetWidth - 8)) + 'px';
  tip.style.top = (y + tip.offsetHeight > innerHeight
      ? Math.max(0, event.clientY - tip.offsetHeight - 8) : y) + 'px';
});

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

// A map of coordinates that makes each of the intervals [from, to] longer by
// `more`, or by more than that where it overlaps others.
function stretch(intervals) {
  const cuts = [...new Set(intervals.flatMap(i => [i.from, i.to]))].sort((a, b) => a - b);
  const pieces = [];
  let moved = 0;
  for (let i = 0; i + 1 < cuts.length; ++i) {
    const over = intervals.filter(v => v.from <= cuts[i] && v.to >= cuts[i + 1]);
    const ratio = Math.max(0, ...over.map(v => v.more / (v.to - v.from)));
    pieces.push({from: cuts[i], to: cuts[i + 1], ratio, moved});
    moved += ratio * (cuts[i + 1] - cuts[i]);
  }
  return x => {
    const piece = pieces.findLast(p => p.from <= x);
    return piece ? x + piece.moved + piece.ratio * (Math.min(x, piece.to) - piece.from) : x;
  };
}

class GraphView {
  constructor(entry, parent) {
    this.entry = entry;
    this.open = new Set([0]);
    this.found = new Set();
    this.zoom = 1;
    // Where a scope is all there is, one wants to see what is in it; of what is
    // trained, the model first.
    for (let scope = 0; scope !== undefined;) {
      const boxes = entry.scopes[scope].boxes;
      const inside = boxes.filter(b => b.kind === 'scope');
      const next = boxes.some(b => b.kind === 'op') ? undefined
          : inside.length === 1 ? inside[0] : inside.find(b => b.label === 'forward');
      scope = next && next.index;
      if (next) this.open.add(scope);
    }
    this.addTools(parent);
    this.sheet = add(parent, 'div', {class: 'sheet'});
    this.draw();
  }

  addTools(parent) {
    const tools = add(parent, 'div', {class: 'tools'});
    const button = (text, act) =>
        add(tools, 'button', {type: 'button'}, text).addEventListener('click', act);
    const change = act => () => {
      act();
      this.draw();
    };
    button('open all', change(() => this.entry.scopes.forEach((_, i) => this.open.add(i))));
    button('close all', change(() => { this.open = new Set([0]); }));
    button('\u2212', change(() => { this.zoom /= 1.25; }));
    button('+', change(() => { this.zoom *= 1.25; }));
    button('fit', change(() => { this.zoom = this.zoomThatFits(); }));
    const search = add(tools, 'input', {type: 'search', placeholder: 'find an op by name'});
    const count = add(tools, 'span', {class: 'quiet'});
    search.addEventListener('change', () => {
      count.textContent = this.find(search.value);
    });
  }

  // Not so small that nothing can be seen.
  zoomThatFits() {
    const size = this.measure(0);
    const fits = Math.min(this.sheet.clientWidth / (size.w + 2 * kPad),
                          0.85 * innerHeight / (size.h + 2 * kPad));
    return Math.min(1, Math.max(0.1, fits));
  }

  // Opens what is around the ops that have the text in their name.
  find(text) {
    this.found.clear();
    if (text)
      this.entry.scopes.forEach((scope, index) => scope.boxes.forEach(box => {
        if (box.kind !== 'op') return;
        const op = this.entry.ops[box.index];
        if (!(op.name + ' ' + op.mnemonic).includes(text)) return;
        this.found.add(box.index);
        for (let s = index; s !== 0; s = this.entry.scopes[s].parent) this.open.add(s);
      }));
    this.draw();
    const first = this.sheet.querySelector('.found');
    if (first) first.scrollIntoView({block: 'center', inline: 'center'});
    return text ? this.found.size + ' found' : '';
  }

  // The scope stays where it is on the screen.
  toggle(scope) {
    const place = () => this.sheet.querySelector(`[data-scope="${scope}"] > rect`)
        .getBoundingClientRect();
    const before = place();
    if (!this.open.delete(scope)) this.open.add(scope);
    this.draw();
    const after = place();
    this.sheet.scrollLeft += after.left + after.width / 2 - before.left - before.width / 2;
    this.sheet.scrollTop += after.top - before.top;
  }

  // How large the content of an open scope is, and where points of its layout go.
  measure(index) {
    const scope = this.entry.scopes[index];
    const inner = new Map(), across = [], down = [];
    scope.boxes.forEach((box, i) => {
      if (box.kind !== 'scope' || !this.open.has(box.index)) return;
      const size = this.measure(box.index);
      inner.set(i, size);
      const w = size.w + 2 * kPad, h = size.h + kHead + 2 * kPad;
      if (w > box.w) across.push({from: box.x, to: box.x + box.w, more: w - box.w});
      if (h > box.h) down.push({from: box.y, to: box.y + box.h, more: h - box.h});
    });
    const mx = stretch(across), my = stretch(down);
    return {mx, my, inner, w: mx(scope.w), h: my(scope.h)};
  }

  draw() {
    const size = this.measure(0);
    const w = size.w + 2 * kPad, h = size.h + 2 * kPad;
    this.sheet.textContent = '';
    const svg = add(this.sheet, 'svg', {
      width: w * this.zoom, height: h * this.zoom, viewBox: `0 0 ${w} ${h}`});
    this.drawScope(svg, 0, size, kPad, kPad);
  }

  drawScope(parent, index, size, left, top) {
    const group = add(parent, 'g', {transform: `translate(${left} ${top})`});
    const scope = this.entry.scopes[index];
    const areas = scope.boxes.map((box, i) => {
      const x0 = size.mx(box.x), x1 = size.mx(box.x + box.w);
      const y0 = size.my(box.y), y1 = size.my(box.y + box.h);
      if (size.inner.has(i)) return {x: x0, y: y0, w: x1 - x0, h: y1 - y0};
      return {x: (x0 + x1 - box.w) / 2, y: (y0 + y1 - box.h) / 2, w: box.w, h: box.h};
    });
    for (const wire of scope.wires) this.drawWire(group, scope, wire, size, areas);
    scope.boxes.forEach((box, i) => this.drawBox(group, box, areas[i], size.inner.get(i)));
  }

  drawWire(group, scope, wire, size, areas) {
    const points = [];
    for (let i = 0; i < wire.points.length; i += 2)
      points.push([size.mx(wire.points[i]), size.my(wire.points[i + 1])]);
    if (!points.length) return;
    // Where on the border of a box an end is: next to it in the layout.
    const part = x => Math.min(1, Math.max(0, x));
    const atBox = (end, x, y) => {
      const box = scope.boxes[end], area = areas[end];
      return [area.x + part((x - box.x) / box.w) * area.w,
              area.y + part((y - box.y) / box.h) * area.h];
    };
    // The curve's end, and the point that says where it heads, move there.
    const moveEnd = (end, heading, to) => {
      heading[0] += to[0] - end[0];
      heading[1] += to[1] - end[1];
      [end[0], end[1]] = to;
    };
    moveEnd(points[0], points[1],
            atBox(wire.from, wire.points[0], wire.points[1]));
    moveEnd(points.at(-1), points.at(-2),
            atBox(wire.to, wire.points.at(-2), wire.points.at(-1)));
    let path = `M${points[0]}`;
    for (let i = 1; i + 2 < points.length; i += 3)
      path += ` C${points[i]} ${points[i + 1]} ${points[i + 2]}`;
    const hit = add(group, 'path', {d: path, class: 'hit'});
    add(group, 'path', {
      d: path, class: wire.crosses ? 'wire crossing' : 'wire',
      'marker-end': wire.crosses ? 'url(#crossing)' : 'url(#arrow)'});
    explain(hit, () => this.valuesText(wire.values) +
        (wire.crosses ? '\nsent to another partition' : ''));
  }

  valuesText(values) {
    const kMost = 12;
    const lines = values.slice(0, kMost).map(v => this.entry.values[v]);
    if (values.length > kMost) lines.push(`and ${values.length - kMost} more`);
    return lines.join('\n');
  }

  drawBox(parent, box, area, inner) {
    if (box.kind === 'scope') return this.drawScopeBox(parent, box, area, inner);
    const isOp = box.kind === 'op';
    const op = isOp ? this.entry.ops[box.index] : null;
    const kind = isOp ? 'op ' + op.origin + (this.found.has(box.index) ? ' found' : '')
        : box.kind === 'input' || box.kind === 'output' ? 'end' : 'border';
    const group = add(parent, 'g', {class: kind});
    if (isOp) group.setAttribute('data-op', box.index);
    add(group, 'rect', {x: area.x, y: area.y, width: area.w, height: area.h,
                        rx: isOp ? 4 : 11, fill: isOp ? colourOf(op.partition) : '#fff'});
    const label = {input: 'input ', output: 'output ', from: 'from ', to: 'to '}[box.kind];
    this.text(group, area, (label || '') + box.label, area.h / 2 + 4);
    explain(group, () => isOp ? this.opText(op) : (label || '') + box.label);
  }

  text(group, area, text, y, attributes) {
    const most = Math.floor((area.w - 10) / 6.2);
    if (text.length > most) text = text.slice(0, most - 1) + '\u2026';
    return add(group, 'text', {x: area.x + area.w / 2, y: area.y + y,
                               'text-anchor': 'middle', ...attributes}, text);
  }

  drawScopeBox(parent, box, area, inner) {
    const scope = this.entry.scopes[box.index];
    const group = add(parent, 'g', {class: inner ? 'scope open' : 'scope',
                                    'data-scope': box.index});
    const frame = add(group, 'rect', {x: area.x, y: area.y, width: area.w,
                                      height: area.h, rx: 5});
    explain(frame, () => this.scopeText(box));
    const toggle = event => {
      event.stopPropagation();
      this.toggle(box.index);
    };
    if (inner) {
      const title = add(group, 'rect', {x: area.x + 1, y: area.y + 1, width: area.w - 2,
                                        height: kHead, rx: 4, class: 'title'});
      title.addEventListener('click', toggle);
      explain(title, () => this.scopeText(box));
    } else {
      group.addEventListener('click', toggle);
    }
    const total = Object.values(scope.ops).reduce((a, b) => a + b, 0);
    const text = this.text(group, area, (inner ? '\u25be ' : '\u25b8 ') + box.label, 17,
                           {class: 'head'});
    if (inner) {
      this.drawScope(group, box.index, inner, area.x + (area.w - inner.w) / 2,
                     area.y + kHead + kPad);
      return text;
    }
    this.text(group, area, total + ' ops', 31, {class: 'small'});
    let x = area.x + 8;
    for (const [partition, count] of Object.entries(scope.ops)) {
      const w = (area.w - 16) * count / total;
      add(group, 'rect', {x, y: area.y + area.h - 10, width: w, height: 5,
                          style: `stroke:none;fill:${colourOf(Number(partition))}`});
      x += w;
    }
    return text;
  }

  scopeText(box) {
    const scope = this.entry.scopes[box.index];
    return [box.label, ...Object.entries(scope.ops).map(
        ([p, n]) => `${n} ops on ${partitionName(Number(p))}`)].join('\n');
  }

  opText(op) {
    const lines = [op.mnemonic + (op.name ? ' ' + op.name : '')];
    if (op.partOf) lines.push('part of ' + op.partOf);
    if (op.variable) lines.push('variable ' + op.variable);
    const who = {user: 'pinned by a person', solver: 'chosen by the solver',
                 propagated: 'follows from others'}[op.origin];
    lines.push(`${partitionName(op.partition)}, ${who}`);
    if (op.pinSeconds !== undefined)
      lines.push(op.pinSeconds > 0
          ? `the pin costs ${formatSeconds(op.pinSeconds)} per microbatch`
          : 'the pin costs nothing');
    if (op.unit !== 'forward') lines.push(op.unit.replace('_', ' of '));
    for (const v of op.takes) lines.push('takes ' + this.entry.values[v]);
    for (const v of op.makes) lines.push('makes ' + this.entry.values[v]);
    for (const f of op.folded || []) {
      const free = this.entry.ops[f];
      lines.push('reads through ' + free.mnemonic + ' ' + (free.variable || free.name));
    }
    return lines.join('\n');
  }
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

function shadeOf(unit) {
  return unit === 'forward' ? 1 : unit.includes('weight') ? 0.86
      : unit.startsWith('backward') ? 0.72 : 0.5;
}

function darker(colour, factor) {
  return '#' + [1, 3, 5].map(i => Math.round(parseInt(colour.slice(i, i + 2), 16) * factor)
      .toString(16).padStart(2, '0')).join('');
}

function drawTimelines(entry, parent) {
  const longest = Math.max(...entry.timelines.map(t => t.seconds));
  if (!(longest > 0)) {
    add(parent, 'p', {}, 'The stages carry no predicted times.');
    return;
  }
  const kLeft = 76, kRow = 24, kBar = 19, width = 1000;
  const sheet = add(parent, 'div', {class: 'sheet'});
  const rows = entry.timelines.length * (page.partitions + 1);
  const svg = add(sheet, 'svg', {width: kLeft + width + 10, height: rows * kRow + 8});
  entry.timelines.forEach((timeline, t) => {
    const top = t * (page.partitions + 1) * kRow + 4;
    add(svg, 'text', {x: 4, y: top + 15, class: 'head'},
        `${timeline.title}: ${formatSeconds(timeline.seconds)}, ` +
        `${timeline.microbatches} microbatches`);
    for (let p = 0; p < page.partitions; ++p)
      add(svg, 'text', {x: 4, y: top + (p + 1) * kRow + 14}, 'partition ' + p);
    for (const [s, microbatch, start, end] of timeline.spans) {
      const stage = entry.stages[s];
      const x = kLeft + start / longest * width, w = (end - start) / longest * width;
      const group = add(svg, 'g', {class: 'span'});
      const y = top + (stage.partition + 1) * kRow;
      add(group, 'rect', {x, y, width: Math.max(w, 0.5), height: kBar, stroke: '#fff',
                          'stroke-width': Math.min(0.8, w / 4),
                          fill: darker(colourOf(stage.partition), shadeOf(stage.unit))});
      if (w > 14) add(group, 'text', {x: x + 3, y: y + 13}, microbatch);
      explain(group, () => `${stage.name}, ${stage.unit}, microbatch ${microbatch}\n` +
          `${formatSeconds(start)} to ${formatSeconds(end)}: ${formatSeconds(end - start)}`);
    }
  });
}

// How much of each step each partition works.
function drawLoads(entry, parent) {
  const table = add(parent, 'table', {class: 'loads'});
  const head = add(table, 'tr');
  add(head, 'th', {}, 'load');
  for (const timeline of entry.timelines) add(head, 'th', {}, timeline.title);
  for (let p = 0; p < page.partitions; ++p) {
    const row = add(table, 'tr');
    add(row, 'td', {}, 'partition ' + p);
    for (const timeline of entry.timelines) {
      const busy = timeline.spans.reduce((sum, [s, , start, end]) =>
          sum + (entry.stages[s].partition === p ? end - start : 0), 0);
      const share = timeline.seconds > 0 ? busy / timeline.seconds : 0;
      const cell = add(row, 'td');
      const bar = add(cell, 'span', {class: 'bar'});
      add(bar, 'span', {style: `width:${100 * share}%;background:${colourOf(p)}`});
      add(cell, 'span', {}, `${formatSeconds(busy)}, ${(100 * share).toFixed(1)} %`);
    }
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

const kMemoryColours = {variables: '#7fb2d9', rollback: '#95c2e2', prepared: '#b3d3ea',
                        constants: '#c9c9c9', arena: '#f2b566', channels: '#9ccf97',
                        workspace: '#d9a7c7'};

function addKeys(parent, keys) {
  const line = add(parent, 'p', {class: 'keys'});
  for (const [name, style] of keys) {
    const key = add(line, 'span');
    add(key, 'i', {style});
    key.append(name);
  }
}

function drawMemory(parent) {
  const totals = page.memory.map(m => Object.values(m).reduce((a, b) => a + b, 0));
  const most = Math.max(1, ...totals);
  const table = add(parent, 'table', {class: 'memory'});
  page.memory.forEach((memory, p) => {
    const row = add(table, 'tr');
    add(row, 'td', {}, 'partition ' + p);
    const cell = add(row, 'td');
    const bar = add(cell, 'span', {class: 'bar', style: 'width:560px'});
    for (const [name, bytes] of Object.entries(memory))
      explain(add(bar, 'span', {
        style: `width:${100 * bytes / most}%;background:${kMemoryColours[name]}`}),
              () => `${name}: ${formatBytes(bytes)}`);
    add(cell, 'span', {}, formatBytes(totals[p]));
  });
  addKeys(parent, Object.entries(kMemoryColours).map(
      ([name, colour]) => [name, 'background:' + colour]));
}

//===----------------------------------------------------------------------===//

function drawEntry(entry, parent) {
  if (entry.scopes.length) {
    addKeys(parent, [
      ...Array.from({length: Math.min(page.partitions, kColours.length)}, (_, p) =>
          [partitionName(p), 'background:' + colourOf(p)]),
      ['every partition', 'background:' + kEverywhere],
      ['pinned by a person', 'border:2px solid #1d2228'],
      ['chosen by the solver', 'border:1px dashed #7b8490'],
      ['follows from others', 'border:1px solid #7b8490'],
      ['sent to another partition', 'background:#d05000;height:3px;vertical-align:4px'],
    ]);
    new GraphView(entry, parent);
  } else {
    add(parent, 'p', {}, 'The program carries no graph of this entry.');
  }
  add(parent, 'h3', {}, 'Time of a step');
  drawLoads(entry, parent);
  drawTimelines(entry, parent);
}

page.entries.forEach((entry, i) =>
    drawEntry(entry, document.getElementById('entry-' + i)));
drawMemory(document.getElementById('memory'));
document.documentElement.dataset.drawn = 'yes';
