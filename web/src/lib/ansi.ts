/**
 * Terminal output as lines of styled spans.
 *
 * Select Graphic Rendition is kept, with every colour mapped to one of the 16 named ones (the theme
 * makes those readable); all other control sequences are dropped. A carriage return starts the line
 * again, so that a progress bar shows its last state.
 */

export const ANSI_COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type AnsiColour = (typeof ANSI_COLOURS)[number];

export interface AnsiStyle {
  colour?: AnsiColour;
  background?: AnsiColour;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

export interface AnsiSpan {
  text: string;
  style: AnsiStyle;
}

export type AnsiLine = AnsiSpan[];

// CSI with its final byte; OSC, DCS, SOS, PM and APC up to their end (or the text's); other escapes.
const SEQUENCE =
  // eslint-disable-next-line no-control-regex
  /\x1b\[([0-9;:?<>=!]*)[ -/]*([@-~])|\x1b[\]PX^_][^]*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g;

/** Splits output into lines; the last one may still be growing. */
export function parseAnsi(output: string): AnsiLine[] {
  let style: AnsiStyle = {};
  let line: AnsiLine = [];
  const lines: AnsiLine[] = [];

  const print = (text: string) => {
    const pieces = text.replaceAll("\r\n", "\n").split("\n");
    pieces.forEach((piece, index) => {
      if (index > 0) {
        lines.push(line);
        line = [];
      }
      const fresh = piece.lastIndexOf("\r");
      if (fresh !== -1 && fresh < piece.length - 1) line = [];
      const shown = piece.slice(fresh === piece.length - 1 ? piece.lastIndexOf("\r", fresh - 1) + 1 : fresh + 1);
      const visible = shown.replaceAll("\r", "");
      if (visible) line.push({ text: visible, style });
    });
  };

  let from = 0;
  for (const match of output.matchAll(SEQUENCE)) {
    print(output.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") style = restyle(style, match[1] ?? "");
  }
  print(output.slice(from));
  lines.push(line);
  return lines;
}

/** The text alone, as it is copied. */
export function plainText(output: string): string {
  return parseAnsi(output)
    .map((line) => line.map((span) => span.text).join(""))
    .join("\n");
}

function restyle(style: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map(Number);
  let next = { ...style };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, used } = extended(codes.slice(i + 1));
      next = code === 38 ? { ...next, colour } : { ...next, background: colour };
      i += used;
    } else {
      next = applyCode(next, code);
    }
  }
  return next;
}

const FLAGS: Record<number, AnsiStyle> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  39: { colour: undefined },
  49: { background: undefined },
};

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return {};
  const flag = FLAGS[code];
  if (flag) return { ...style, ...flag };
  const place = code % 10;
  if (place < 8 && (inTens(code, 3) || inTens(code, 9))) return { ...style, colour: ANSI_COLOURS[place] };
  if (place < 8 && (inTens(code, 4) || inTens(code, 10))) return { ...style, background: ANSI_COLOURS[place] };
  return style;
}

const inTens = (code: number, tens: number) => Math.floor(code / 10) === tens;

/** `38;5;n` and `38;2;r;g;b`, as the nearest of the named colours. */
function extended(codes: number[]): { colour: AnsiColour | undefined; used: number } {
  const [kind, a = 0, b = 0, c = 0] = codes;
  if (kind === 5) return { colour: ofPalette(a), used: 2 };
  if (kind === 2) return { colour: nearest(a, b, c), used: 4 };
  return { colour: undefined, used: 1 };
}

function ofPalette(index: number): AnsiColour | undefined {
  if (index < 16) return ANSI_COLOURS[index % 8];
  if (index >= 232) return nearest(...grey(8 + (index - 232) * 10));
  const cube = index - 16;
  const level = (n: number) => (n === 0 ? 0 : 55 + n * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const grey = (level: number): [number, number, number] => [level, level, level];

function nearest(red: number, green: number, blue: number): AnsiColour | undefined {
  const brightest = Math.max(red, green, blue);
  if (brightest < 48) return "black";
  const bit = (level: number) => (level > brightest * 0.6 ? 1 : 0);
  return ANSI_COLOURS[bit(red) + 2 * bit(green) + 4 * bit(blue)];
}
