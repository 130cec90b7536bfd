import { Minus, Plus, RotateCcw } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { LARGEST_TEXT, SMALLEST_TEXT } from "@/lib/appearance";

const STEP = 5;

interface TextSizeProps {
  percent: number;
  onChange: (percent: number) => void;
}

/** The size of text in steps of five percent; the page itself shows what it means. */
export function TextSize({ percent, onChange }: TextSizeProps) {
  const to = (next: number) => { onChange(Math.min(Math.max(next, SMALLEST_TEXT), LARGEST_TEXT)); };
  return (
    <div role="group" aria-label="Size of text" className="flex items-center gap-1">
      {percent === 100 ? null : <IconButton icon={RotateCcw} label="Back to 100 %" onClick={() => { to(100); }} />}
      <IconButton icon={Minus} label="Smaller" disabled={percent <= SMALLEST_TEXT} onClick={() => { to(percent - STEP); }} />
      <output aria-live="polite" className="tabular w-12 text-center text-ui">
        {percent} %
      </output>
      <IconButton icon={Plus} label="Larger" disabled={percent >= LARGEST_TEXT} onClick={() => { to(percent + STEP); }} />
    </div>
  );
}
