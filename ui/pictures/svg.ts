/** Turns the screen of a terminal, as `tmux capture-pane -e` prints it, into an SVG. */

const CELL = { width: 8.4, height: 20 };
const FONT = 14;
const MARGIN = 20;
const BAR = 36;

/** The dark side of the design language. */
const GROUND = '#1a1917';
const FRAME = '#37332d';
const INK = '#ebe6dc';
const FAINT = '#9a9284';
const BASE = ['#37332d', '#f4a193', '#9bce90', '#f1c373', '#8db4e8', '#d3a6dd', '#83cbc2', '#b8b0a2'];
const BRIGHT = ['#7d7568', '#f7b8ad', '#b4dca9', '#f6d495', '#abc8ef', '#e0bde8', '#a2dbd3', '#ebe6dc'];

interface Style {
    ink: string | undefined;
    ground: string | undefined;
    bold: boolean;
    faint: boolean;
    italic: boolean;
    underline: boolean;
    inverse: boolean;
}

interface Run {
    column: number;
    text: string;
    style: Style;
}

const PLAIN: Style = {
    ink: undefined,
    ground: undefined,
    bold: false,
    faint: false,
    italic: false,
    underline: false,
    inverse: false,
};

/** Draws the screen in a window of `columns`, as high as it has rows. */
export function draw(screen: string, columns: number, title: string): string {
    const rows = screen.replace(/^\n+|\s+$/g, '').split('\n');
    const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
    const height = rows.length * CELL.height + MARGIN + BAR;
    let style = PLAIN;
    const body = rows.map((row, at) => {
        const parsed = parse(row, style);
        style = parsed.style;
        return parsed.runs.map((run) => paint(run, BAR + at * CELL.height)).join('');
    });
    const lights = [0, 1, 2].map(
        (at) => `<circle cx="${MARGIN + 4 + at * 18}" cy="18" r="5.5" fill="${FRAME}"/>`,
    );
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">`,
        `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${GROUND}" stroke="${FRAME}"/>`,
        ...lights,
        `<text x="${width / 2}" y="23" text-anchor="middle" font-family="system-ui, sans-serif" font-size="13" fill="${FAINT}">${escape(title)}</text>`,
        `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}">`,
        ...body.filter((row) => row !== ''),
        '</g>',
        '</svg>',
        '',
    ].join('\n');
}

/** Splits a row into runs of one style. A style lasts beyond the end of its row. */
function parse(row: string, before: Style): { runs: Run[]; style: Style } {
    const runs: Run[] = [];
    let style = before;
    let column = 0;
    for (const piece of row.split(/(\x1b\[[0-9;]*m)/)) {
        if (piece.startsWith('\x1b')) {
            style = restyled(style, piece.slice(2, -1).split(';').map(Number));
        } else if (piece !== '') {
            runs.push({ column, text: piece, style });
            column += [...piece].length;
        }
    }
    return { runs, style };
}

function restyled(style: Style, codes: number[]): Style {
    const next = { ...style };
    for (let at = 0; at < codes.length; at++) {
        const code = codes[at] ?? 0;
        if (code === 0) Object.assign(next, PLAIN);
        else if (code === 1) next.bold = true;
        else if (code === 2) next.faint = true;
        else if (code === 3) next.italic = true;
        else if (code === 4) next.underline = true;
        else if (code === 7) next.inverse = true;
        else if (code === 22) next.bold = next.faint = false;
        else if (code === 23) next.italic = false;
        else if (code === 24) next.underline = false;
        else if (code === 27) next.inverse = false;
        else if (code >= 30 && code <= 37) next.ink = BASE[code - 30];
        else if (code >= 40 && code <= 47) next.ground = BASE[code - 40];
        else if (code >= 90 && code <= 97) next.ink = BRIGHT[code - 90];
        else if (code >= 100 && code <= 107) next.ground = BRIGHT[code - 100];
        else if (code === 39) next.ink = undefined;
        else if (code === 49) next.ground = undefined;
        else if (code === 38 || code === 48) {
            const wide = codes[at + 1] === 2;
            const colour = wide
                ? `rgb(${codes.slice(at + 2, at + 5).join(',')})`
                : indexed(codes[at + 2] ?? 0);
            if (code === 38) next.ink = colour;
            else next.ground = colour;
            at += wide ? 4 : 2;
        }
    }
    return next;
}

/** Returns one of the 256 colours that terminals number. */
function indexed(index: number): string {
    if (index < 8) return BASE[index] ?? INK;
    if (index < 16) return BRIGHT[index - 8] ?? INK;
    if (index >= 232) {
        const grey = 8 + 10 * (index - 232);
        return `rgb(${grey},${grey},${grey})`;
    }
    const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
    const cube = index - 16;
    const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
    return `rgb(${level(red)},${level(green)},${level(blue)})`;
}

function paint({ column, text, style }: Run, top: number): string {
    const x = round(MARGIN + column * CELL.width);
    const width = round([...text].length * CELL.width);
    const ink = style.inverse ? (style.ground ?? GROUND) : (style.ink ?? INK);
    const ground = style.inverse ? (style.ink ?? INK) : style.ground;
    const rect = ground
        ? `<rect x="${x}" y="${top}" width="${width}" height="${CELL.height}" fill="${ground}"/>`
        : '';
    const word = text.trim();
    if (word === '') return rect;
    // The place and the width of each run are fixed: columns stay in line in whatever font the reader has.
    const left = round(x + (text.length - text.trimStart().length) * CELL.width);
    const fixed = `textLength="${round([...word].length * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
    const face = [
        style.bold ? 'font-weight="bold"' : '',
        style.italic ? 'font-style="italic"' : '',
        style.underline ? 'text-decoration="underline"' : '',
        style.faint ? 'opacity=".65"' : '',
    ];
    const attributes = [`x="${left}" y="${top + 15}" fill="${ink}"`, fixed, ...face]
        .filter(Boolean)
        .join(' ');
    return `${rect}<text ${attributes}>${escape(word.replace(/ /g, '\u00a0'))}</text>`;
}

function round(number: number): number {
    return Math.round(number * 100) / 100;
}

function escape(text: string): string {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
